-- The rules of the fold as rows: states, transitions, and what events leave behind.
-- depends: 0010.read

insert into runstore.error_codes (code, name, meaning) values
('RS004', 'INVALID_TRANSITION', 'The state of the run or step does not allow the event, and transitions are enforced.'),
('RS012', 'RUN_NOT_FOUND', 'There is no such run, or it is another tenant''s.');

insert into runstore.alert_codes (code, severity, meaning) values
('INVALID_TRANSITION', 'P3', 'The state of a run or step did not allow an event; it was stored and changed nothing.'),
('PROJECTION_FAILED', 'P2', 'Folding a run''s log failed; its snapshot is stale until a later attempt succeeds.'),
('PROJECTOR_GAP_DETECTED', 'P1', 'An event is missing from a run''s log; its snapshot stands still before the gap.'),
('PROJECTOR_LAG_HIGH', 'P2', 'Events wait longer than lag_alert_ms for their projection.');

-- Alerts are few, and written seldom.
-- squawk-ignore require-concurrent-index-creation
create index alert_log_open_by_code on runstore.alert_log (code, run_id) where resolved_at is null;

comment on index runstore.alert_log_open_by_code is 'The open alerts of one kind.';

create table runstore.statuses (
    machine text collate "C" not null,
    status text collate "C" not null,
    code text collate "C" not null,
    is_terminal boolean not null,
    constraint statuses_pkey primary key (machine, status),
    constraint statuses_code_key unique (machine, code),
    constraint statuses_machine check (machine in ('RUN', 'STEP')),
    constraint statuses_code check (code ~ '^[A-Z]$')
);

comment on table runstore.statuses is 'The states of the two machines, run and step. Both begin at PENDING.';
comment on column runstore.statuses.machine is 'RUN or STEP.';
comment on column runstore.statuses.status is 'Name of the state, as snapshots show it.';
comment on column runstore.statuses.code is
'One upper-case letter that stands for the state while events are folded; the lower-case letter stands for the same '
'state after an event that was refused.';
comment on column runstore.statuses.is_terminal is 'Whether the machine has come to its end.';
comment on index runstore.statuses_pkey is 'One row per machine and state.';
comment on index runstore.statuses_code_key is 'One letter per state of a machine.';

insert into runstore.statuses (machine, status, code, is_terminal) values
('RUN', 'PENDING', 'P', false),
('RUN', 'APPROVED', 'A', false),
('RUN', 'RUNNING', 'R', false),
('RUN', 'PAUSED', 'U', false),
('RUN', 'COMPLETED', 'C', true),
('RUN', 'FAILED', 'F', true),
('RUN', 'CANCELLED', 'X', true),
('STEP', 'PENDING', 'P', false),
('STEP', 'RUNNING', 'R', false),
('STEP', 'SUCCESS', 'S', true),
('STEP', 'FAILED', 'F', true),
('STEP', 'SKIPPED', 'K', true);

create table runstore.transitions (
    machine text collate "C" not null,
    event_type text collate "C" not null,
    from_status text collate "C" not null,
    to_status text collate "C" not null,
    constraint transitions_pkey primary key (machine, event_type, from_status)
);

comment on table runstore.transitions is
'What each event does to a machine that stands at a state. An event without a row for that state is refused: it '
'changes nothing, and the run is marked inconsistent.';
comment on column runstore.transitions.machine is 'RUN, or STEP for one logical attempt of a step.';
comment on column runstore.transitions.event_type is 'The event.';
comment on column runstore.transitions.from_status is 'State before the event.';
comment on column runstore.transitions.to_status is 'State after the event.';
comment on index runstore.transitions_pkey is 'One outcome per event and state.';

insert into runstore.transitions (machine, event_type, from_status, to_status) values
('RUN', 'RunQueued', 'PENDING', 'PENDING'),
('RUN', 'RunQueued', 'APPROVED', 'APPROVED'),
('RUN', 'RunQueued', 'RUNNING', 'RUNNING'),
('RUN', 'RunQueued', 'PAUSED', 'PAUSED'),
('RUN', 'RunApproved', 'PENDING', 'APPROVED'),
('RUN', 'RunStarted', 'PENDING', 'RUNNING'),
('RUN', 'RunStarted', 'APPROVED', 'RUNNING'),
('RUN', 'RunPaused', 'RUNNING', 'PAUSED'),
('RUN', 'RunResumed', 'PAUSED', 'RUNNING'),
('RUN', 'RunCompleted', 'PENDING', 'COMPLETED'),
('RUN', 'RunCompleted', 'APPROVED', 'COMPLETED'),
('RUN', 'RunCompleted', 'RUNNING', 'COMPLETED'),
('RUN', 'RunCompleted', 'PAUSED', 'COMPLETED'),
('RUN', 'RunFailed', 'PENDING', 'FAILED'),
('RUN', 'RunFailed', 'APPROVED', 'FAILED'),
('RUN', 'RunFailed', 'RUNNING', 'FAILED'),
('RUN', 'RunFailed', 'PAUSED', 'FAILED'),
('RUN', 'RunCancelled', 'PENDING', 'CANCELLED'),
('RUN', 'RunCancelled', 'APPROVED', 'CANCELLED'),
('RUN', 'RunCancelled', 'RUNNING', 'CANCELLED'),
('RUN', 'RunCancelled', 'PAUSED', 'CANCELLED'),
('STEP', 'StepStarted', 'PENDING', 'RUNNING'),
('STEP', 'StepStarted', 'SUCCESS', 'SUCCESS'),
('STEP', 'StepStarted', 'FAILED', 'FAILED'),
('STEP', 'StepCompleted', 'PENDING', 'SUCCESS'),
('STEP', 'StepCompleted', 'RUNNING', 'SUCCESS'),
('STEP', 'StepFailed', 'PENDING', 'FAILED'),
('STEP', 'StepFailed', 'RUNNING', 'FAILED'),
('STEP', 'StepSkipped', 'PENDING', 'SKIPPED');

create table runstore.event_effects (
    event_type text collate "C" not null,
    machine text collate "C" not null,
    target_status text collate "C" not null,
    sets_started_at boolean not null,
    sets_completed_at boolean not null,
    takes_engine_run_ref boolean not null,
    takes_artifacts boolean not null,
    takes_error boolean not null,
    takes_reason boolean not null,
    from_codes text collate "C" not null,
    to_codes text collate "C" not null,
    constraint event_effects_pkey primary key (event_type)
);

comment on table runstore.event_effects is
'The events that move a machine, and what they leave behind when they are applied. Types that are not here, signals '
'among them, only move the watermark.';
comment on column runstore.event_effects.event_type is 'The event.';
comment on column runstore.event_effects.machine is 'The machine that it moves: RUN or STEP.';
comment on column runstore.event_effects.target_status is
'The state that it means to reach, for the alert when it is refused.';
comment on column runstore.event_effects.sets_started_at is 'Whether its emitted_at becomes startedAt.';
comment on column runstore.event_effects.sets_completed_at is 'Whether its emitted_at becomes completedAt.';
comment on column runstore.event_effects.takes_engine_run_ref is 'Whether its engine_run_ref is kept.';
comment on column runstore.event_effects.takes_artifacts is 'Whether payload.artifactRefs is kept.';
comment on column runstore.event_effects.takes_error is 'Whether payload.error is kept.';
comment on column runstore.event_effects.takes_reason is 'Whether payload.reason is kept.';
comment on column runstore.event_effects.from_codes is
'Every letter of the machine''s states, upper and lower case. Computed from transitions.';
comment on column runstore.event_effects.to_codes is
'The letter that the event turns each of them into: upper case when it is applied, lower case when it is refused. '
'Computed from transitions.';
comment on index runstore.event_effects_pkey is 'One row per event.';

insert into runstore.event_effects (
    event_type, machine, target_status, sets_started_at, sets_completed_at, takes_engine_run_ref, takes_artifacts,
    takes_error, takes_reason, from_codes, to_codes
)
select
    e.event_type, e.machine, e.target_status, e.starts, e.completes, e.takes_ref, e.takes_artifacts, e.takes_error,
    e.takes_reason, m.from_codes, m.to_codes
from (
    values
    ('RunQueued', 'RUN', 'PENDING', false, false, false, false, false, false),
    ('RunApproved', 'RUN', 'APPROVED', false, false, false, false, false, false),
    ('RunStarted', 'RUN', 'RUNNING', true, false, true, false, false, false),
    ('RunPaused', 'RUN', 'PAUSED', false, false, false, false, false, false),
    ('RunResumed', 'RUN', 'RUNNING', false, false, false, false, false, false),
    ('RunCompleted', 'RUN', 'COMPLETED', false, true, false, true, false, false),
    ('RunFailed', 'RUN', 'FAILED', false, true, false, false, true, false),
    ('RunCancelled', 'RUN', 'CANCELLED', false, true, false, false, false, false),
    ('StepStarted', 'STEP', 'RUNNING', true, false, false, false, false, false),
    ('StepCompleted', 'STEP', 'SUCCESS', false, true, false, true, false, false),
    ('StepFailed', 'STEP', 'FAILED', false, true, false, true, true, false),
    ('StepSkipped', 'STEP', 'SKIPPED', false, true, false, true, false, true)
) as e (event_type, machine, target_status, starts, completes, takes_ref, takes_artifacts, takes_error, takes_reason)
cross join lateral (
    select
        pg_catalog.string_agg(
            s.code || pg_catalog.lower(s.code), '' order by s.code
        ) as from_codes,
        pg_catalog.string_agg(
            pg_catalog.repeat(coalesce(n.code, pg_catalog.lower(s.code)), 2), '' order by s.code
        ) as to_codes
    from runstore.statuses as s
    left join runstore.transitions as t
        on s.machine = t.machine and s.status = t.from_status and e.event_type = t.event_type
    left join runstore.statuses as n on t.machine = n.machine and t.to_status = n.status
    where s.machine = e.machine
) as m;

-- Walks a machine through events: the state, one letter, is replaced event by event with what from_codes and to_codes
-- of event_effects make of it. Upper case says that the last event was applied, lower case that it was refused. As a
-- window aggregate it gives the state after every event in one pass. Begins at PENDING.
create aggregate runstore.walk(p_from_codes text, p_to_codes text) ( -- noqa: LT01
    sfunc = pg_catalog.translate,
    stype = text,
    initcond = 'P',
    parallel = safe
);

comment on aggregate runstore.walk(text, text) is -- noqa: LT01
'The state of a machine after the events so far, as a letter of statuses.';

revoke all on function runstore.walk(text, text) from public;

-- Keeps the first of two values: the step of the aggregate any_json(). Never called while there is one value per group.
create function runstore.keep_first(p_first jsonb, p_next jsonb)
returns jsonb
language sql immutable strict parallel safe
return p_first;

comment on function runstore.keep_first(jsonb, jsonb) is 'The first of two values.';

revoke all on function runstore.keep_first(jsonb, jsonb) from public;

-- The one value that is not null in a group, or null: for groups in which at most one row has a value. Costs less than
-- building an array of one.
create aggregate runstore.any_json(p_value jsonb) ( -- noqa: LT01
    sfunc = runstore.keep_first,
    stype = jsonb,
    parallel = safe
);

comment on aggregate runstore.any_json(jsonb) is -- noqa: LT01
'The one value of a group that is not null.';

revoke all on function runstore.any_json(jsonb) from public;
