-- Where projections are kept, how a run is noted as due, and the settings for both.
-- depends: 0011.folding_rules

-- The tables whose constraints change have one row and a few rows, and only functions of this schema read them.
-- squawk-ignore-file ban-drop-not-null, constraint-missing-not-valid

alter table runstore.config
add column projection_mode text collate "C" not null default 'async',
add column enforce_transitions boolean not null default false,
add column lag_alert_ms int not null default 5000,
add column lag_resync_ms int not null default 10000,
add column log_is_followed boolean not null default true,
add constraint config_enforcing_is_inline check (projection_mode = 'inline' or not enforce_transitions);

comment on column runstore.config.projection_mode is
'async: appends note that a run has work for the projector; inline: appends project the run themselves.';
comment on column runstore.config.enforce_transitions is
'Whether an append is refused when the transitions do not allow its event. Needs inline projection.';
comment on column runstore.config.lag_alert_ms is 'Lag of the projector from which on PROJECTOR_LAG_HIGH is open.';
comment on column runstore.config.lag_resync_ms is 'Lag from which on a run is marked for a resync from its snapshot.';
comment on column runstore.config.log_is_followed is
'Whether any consumer is active, so that an append need not look; kept by set_config_value().';

alter table runstore.config_keys
alter column min_value drop not null,
alter column max_value drop not null,
add column choices text[],
add constraint config_keys_number_or_choice check (
    (min_value is null) = (max_value is null) and (min_value is null) <> (choices is null)
);

comment on table runstore.config_keys is
'The settings that set_config_value() accepts: whole numbers in a range, or one of some choices.';
comment on column runstore.config_keys.min_value is 'Least accepted value of a number.';
comment on column runstore.config_keys.max_value is 'Greatest accepted value of a number.';
comment on column runstore.config_keys.choices is 'Accepted values, where it is not a number.';

insert into runstore.config_keys (key, min_value, max_value, choices) values
('projection_mode', null, null, array['async', 'inline']),
('enforce_transitions', null, null, array['true', 'false']),
('lag_alert_ms', 1, 86400000, null),
('lag_resync_ms', 1, 86400000, null);

alter table runstore.run_counters add column due_from_seq bigint;

comment on column runstore.run_counters.due_from_seq is
'run_seq of the event that noted the run in due_runs for all consumers; null once one of them has seen the last event, '
'so that the next append notes the run again.';

create table runstore.run_states (
    last_event_seq bigint not null,
    version bigint not null,
    begun_at timestamptz not null,
    projected_at timestamptz not null,
    started_at timestamptz,
    completed_at timestamptz,
    is_consistent boolean not null,
    run_id text collate "C" not null,
    tenant_id text collate "C" not null,
    project_id text collate "C" not null,
    environment_id text collate "C" not null,
    status text collate "C" not null,
    halted_by text collate "C",
    engine_run_ref jsonb,
    artifacts jsonb,
    error jsonb,
    constraint run_states_pkey primary key (run_id),
    constraint run_states_halted_by check (halted_by in ('GAP', 'FAILURE'))
) with (fillfactor = 80);

create index run_states_by_status on runstore.run_states (status, begun_at, run_id);
create index run_states_by_tenant on runstore.run_states (tenant_id, status, begun_at, run_id);

comment on table runstore.run_states is
'The projection, one row per run: the fold of its log up to last_event_seq. Its row lock keeps other projectors of '
'the run out.';
comment on column runstore.run_states.last_event_seq is 'The watermark: run_seq of the last event that was folded.';
comment on column runstore.run_states.version is 'How often the projection was written, from 0.';
comment on column runstore.run_states.begun_at is
'persisted_at of the first event: the order in which runs are listed.';
comment on column runstore.run_states.projected_at is 'When the projection was last written.';
comment on column runstore.run_states.started_at is 'emitted_at of the RunStarted that was applied.';
comment on column runstore.run_states.completed_at is 'emitted_at of the event that ended the run.';
comment on column runstore.run_states.is_consistent is 'False once an event was refused by the transitions.';
comment on column runstore.run_states.run_id is 'The run.';
comment on column runstore.run_states.tenant_id is 'Tenant of the run.';
comment on column runstore.run_states.project_id is 'Project of the run.';
comment on column runstore.run_states.environment_id is 'Environment of the run.';
comment on column runstore.run_states.status is 'State of the run, a row of statuses.';
comment on column runstore.run_states.halted_by is
'Why the projection stands still: GAP, an event is missing; FAILURE, folding failed and the run is parked.';
comment on column runstore.run_states.engine_run_ref is 'How the engine names the run, from RunStarted.';
comment on column runstore.run_states.artifacts is 'Artifact references of RunCompleted.';
comment on column runstore.run_states.error is 'Error of RunFailed.';
comment on index runstore.run_states_pkey is 'One row per run.';
comment on index runstore.run_states_by_status is 'Listing runs by status, newest first.';
comment on index runstore.run_states_by_tenant is 'Listing one tenant''s runs by status, newest first.';

create table runstore.run_steps (
    first_seq bigint not null,
    started_at timestamptz,
    completed_at timestamptz,
    logical_attempt_id int not null,
    engine_attempt_id int not null,
    run_id text collate "C" not null,
    step_id text collate "C" not null,
    status text collate "C" not null,
    artifacts jsonb,
    error jsonb,
    reason jsonb,
    constraint run_steps_pkey primary key (run_id, step_id)
) with (fillfactor = 80);

comment on table runstore.run_steps is 'The projection, one row per step: its newest logical attempt.';
comment on column runstore.run_steps.first_seq is 'run_seq of the step''s first event: its place among the steps.';
comment on column runstore.run_steps.started_at is 'emitted_at of the attempt''s StepStarted.';
comment on column runstore.run_steps.completed_at is 'emitted_at of the event that ended the attempt.';
comment on column runstore.run_steps.logical_attempt_id is 'The attempt that the row describes.';
comment on column runstore.run_steps.engine_attempt_id is 'Greatest among the attempt''s applied events.';
comment on column runstore.run_steps.run_id is 'The run.';
comment on column runstore.run_steps.step_id is 'The step.';
comment on column runstore.run_steps.status is 'State of the step, a row of statuses.';
comment on column runstore.run_steps.artifacts is 'Artifact references of the event that ended the attempt.';
comment on column runstore.run_steps.error is 'Error of StepFailed.';
comment on column runstore.run_steps.reason is 'Reason of StepSkipped.';
comment on index runstore.run_steps_pkey is 'One row per run and step.';

create table runstore.consumers (
    name text collate "C" not null,
    is_active boolean not null,
    min_retry interval not null,
    max_retry interval not null,
    constraint consumers_pkey primary key (name)
);

comment on table runstore.consumers is
'Everything that follows the log. Each consumer that is active has a row in due_runs for every run with events that it '
'has not seen.';
comment on column runstore.consumers.name is 'Name of the consumer.';
comment on column runstore.consumers.is_active is 'Whether appends note runs as due for it.';
comment on column runstore.consumers.min_retry is
'Wait after the first failure with a run; each further one doubles it.';
comment on column runstore.consumers.max_retry is 'Longest wait between attempts.';
comment on index runstore.consumers_pkey is 'One row per consumer.';

insert into runstore.consumers (name, is_active, min_retry, max_retry) values
('projector', true, interval '1 second', interval '30 seconds');

create table runstore.due_runs (
    due_since timestamptz not null,
    retry_at timestamptz,
    attempts int not null default 0,
    wants_resync boolean not null default false,
    run_id text collate "C" not null,
    consumer text collate "C" not null,
    constraint due_runs_pkey primary key (run_id, consumer)
);

create index due_runs_waiting on runstore.due_runs (consumer, due_since) where retry_at is null;
create index due_runs_retrying on runstore.due_runs (consumer, retry_at) where retry_at is not null;

comment on table runstore.due_runs is
'The runs that have events which a consumer has not seen. An append writes the row when run_counters.due_from_seq '
'says that there may be none; the consumer removes it, and clears that mark, under the run''s lock once it has seen '
'the run''s last event. Whoever works on a run for a consumer holds the lock of this row.';
comment on column runstore.due_runs.due_since is 'persisted_at of the first event that waits, as far as is known.';
comment on column runstore.due_runs.retry_at is 'Not before this time, after a failure; null when it is due now.';
comment on column runstore.due_runs.attempts is 'Failures in a row.';
comment on column runstore.due_runs.wants_resync is
'Whether it lags so far, or met a gap, that its next turn counts as a resync from the stored snapshot.';
comment on column runstore.due_runs.run_id is 'The run.';
comment on column runstore.due_runs.consumer is 'The consumer, a row of consumers.';
comment on index runstore.due_runs_pkey is 'One row per run and consumer.';
comment on index runstore.due_runs_waiting is 'A consumer''s due runs, the longest waiting first.';
comment on index runstore.due_runs_retrying is 'A consumer''s runs that wait for another attempt.';

-- How long a consumer leaves a run alone after its p_attempts-th failure in a row: doubling between the consumer's
-- limits. Reads one row.
create function runstore.retry_delay(p_consumer text, p_attempts int)
returns interval
language plpgsql stable
as $$
begin
    return (
        select least(c.max_retry, c.min_retry * pg_catalog.power(2, least(p_attempts, 30) - 1))
        from runstore.consumers as c
        where c.name = p_consumer
    );
end
$$;

comment on function runstore.retry_delay(text, int) is
'How long a consumer leaves a run alone after so many failures.';

revoke all on function runstore.retry_delay(text, int) from public;

-- Changes one setting of the store. Calls that begin after this commits use the new value. Locks the config row, and
-- for projection_mode the projector's row in consumers, until the end of the transaction; appends only read them and
-- do not wait. Raises RS010 for an unknown key, a bad value, or two settings that do not go together.
create or replace function runstore.set_config_value(p_key text, p_value text)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_key runstore.config_keys;
    v_number int;
begin
    select k.* into v_key from runstore.config_keys as k where k.key = p_key;

    if not found then
        perform runstore.raise_error(
            'RS010',
            format('key %L is no setting', p_key),
            'Use one of the keys named under "expected".',
            'key', p_key,
            (select string_agg(k.key, ', ' order by k.key) from runstore.config_keys as k)
        );
    end if;

    if v_key.choices is null and p_value ~ '^[0-9]{1,9}$' then
        v_number := p_value::int;
    end if;

    if (p_value = any(v_key.choices) or v_number between v_key.min_value and v_key.max_value) is not true then
        perform runstore.raise_error(
            'RS010',
            format('value %L does not fit %s', p_value, p_key),
            'Give a value of the kind named under "expected".',
            'value', p_value,
            coalesce(
                array_to_string(v_key.choices, ' or '),
                format('a whole number from %s to %s', v_key.min_value, v_key.max_value)
            )
        );
    end if;

    update runstore.config as c
    set
        max_payload_bytes = case p_key when 'max_payload_bytes' then v_number else c.max_payload_bytes end,
        max_signal_bytes = case p_key when 'max_signal_bytes' then v_number else c.max_signal_bytes end,
        max_signals_per_minute = case p_key
            when 'max_signals_per_minute' then v_number else c.max_signals_per_minute
        end,
        projection_mode = case p_key when 'projection_mode' then p_value else c.projection_mode end,
        enforce_transitions = case p_key
            when 'enforce_transitions' then p_value = 'true' else c.enforce_transitions
        end,
        lag_alert_ms = case p_key when 'lag_alert_ms' then v_number else c.lag_alert_ms end,
        lag_resync_ms = case p_key when 'lag_resync_ms' then v_number else c.lag_resync_ms end;

    if p_key = 'projection_mode' then
        update runstore.consumers as u set is_active = p_value = 'async' where u.name = 'projector';

        update runstore.config
        set log_is_followed = exists (select from runstore.consumers as u where u.is_active);
    end if;
exception
    when check_violation then
        perform runstore.raise_error(
            'RS010',
            format(
                'value %L does not fit %s: transitions can be enforced only while projection is inline', p_value, p_key
            ),
            'Set projection_mode to inline before enforce_transitions to true, and take them back in the other order.',
            'value', p_value, 'enforce_transitions false, or projection_mode inline'
        );
end
$$;

comment on function runstore.set_config_value(text, text) is
'Changes one setting of the store. RS010 for an unknown key or a value that does not fit.';
