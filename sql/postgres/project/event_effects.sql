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
