-- fetch_events() and the view of all event records.
-- depends: 0009.append_events

create type runstore.event_record as (
    run_id text,
    run_seq bigint,
    event_id uuid,
    event_type text,
    step_id text,
    engine_attempt_id int,
    logical_attempt_id int,
    tenant_id text,
    project_id text,
    environment_id text,
    plan_id text,
    plan_version text,
    idempotency_key text,
    payload jsonb,
    emitted_at timestamptz,
    persisted_at timestamptz,
    adapter_version text,
    engine_run_ref jsonb,
    caused_by_signal_id uuid,
    parent_event_id uuid
);

comment on type runstore.event_record is 'One stored event, as readers get it.';
comment on column runstore.event_record.run_id is 'The run.';
comment on column runstore.event_record.run_seq is 'Position in the run: 1, 2, 3, ... without a gap, in commit order.';
comment on column runstore.event_record.event_id is 'Id of the event, unique within the run.';
comment on column runstore.event_record.event_type is 'What happened.';
comment on column runstore.event_record.step_id is 'The step that the event is about; null when it is about the run.';
comment on column runstore.event_record.engine_attempt_id is 'Attempt counted by the platform, from 1.';
comment on column runstore.event_record.logical_attempt_id is 'Attempt counted by the business, from 1.';
comment on column runstore.event_record.tenant_id is 'Tenant of the run.';
comment on column runstore.event_record.project_id is 'Project of the run.';
comment on column runstore.event_record.environment_id is 'Environment of the run.';
comment on column runstore.event_record.plan_id is 'The plan that the run follows.';
comment on column runstore.event_record.plan_version is 'The version of that plan.';
comment on column runstore.event_record.idempotency_key is
'Key of the event, 64 lower-case hex digits, unique within the run.';
comment on column runstore.event_record.payload is 'What the producer had to say, a JSON object.';
comment on column runstore.event_record.emitted_at is 'The producer''s instant.';
comment on column runstore.event_record.persisted_at is 'The store''s instant; never decreases within a run.';
comment on column runstore.event_record.adapter_version is 'Version of the adapter that produced the event.';
comment on column runstore.event_record.engine_run_ref is 'How the engine itself names the run, a JSON object.';
comment on column runstore.event_record.caused_by_signal_id is 'The signal that caused the event.';
comment on column runstore.event_record.parent_event_id is 'The event that led to this one.';

-- Every stored event with the columns of event_record: what exports read. A login that is bound to tenants sees its
-- tenants' runs only. For one run's events in order, call fetch_events().
create view runstore.run_event_records with (security_barrier = true) as
select
    e.run_id,
    e.run_seq,
    e.event_id,
    e.event_type,
    e.step_id,
    e.engine_attempt_id,
    e.logical_attempt_id,
    r.tenant_id,
    r.project_id,
    r.environment_id,
    e.plan_id,
    e.plan_version,
    pg_catalog.encode(e.idempotency_key, 'hex') as idempotency_key,
    e.payload,
    e.emitted_at,
    e.persisted_at,
    e.adapter_version,
    e.engine_run_ref,
    e.caused_by_signal_id,
    e.parent_event_id
from runstore.run_events as e
inner join runstore.run_counters as r on e.run_id = r.run_id
cross join runstore.session_tenants as s
where s.tenants is null or r.tenant_id = any(s.tenants);

comment on view runstore.run_event_records is 'Every stored event, with the columns of event_record.';
comment on column runstore.run_event_records.run_id is 'The run.';
comment on column runstore.run_event_records.run_seq is
'Position in the run: 1, 2, 3, ... without a gap, in commit order.';
comment on column runstore.run_event_records.event_id is 'Id of the event, unique within the run.';
comment on column runstore.run_event_records.event_type is 'What happened.';
comment on column runstore.run_event_records.step_id is
'The step that the event is about; null when it is about the run.';
comment on column runstore.run_event_records.engine_attempt_id is 'Attempt counted by the platform, from 1.';
comment on column runstore.run_event_records.logical_attempt_id is 'Attempt counted by the business, from 1.';
comment on column runstore.run_event_records.tenant_id is 'Tenant of the run.';
comment on column runstore.run_event_records.project_id is 'Project of the run.';
comment on column runstore.run_event_records.environment_id is 'Environment of the run.';
comment on column runstore.run_event_records.plan_id is 'The plan that the run follows.';
comment on column runstore.run_event_records.plan_version is 'The version of that plan.';
comment on column runstore.run_event_records.idempotency_key is
'Key of the event, 64 lower-case hex digits, unique within the run.';
comment on column runstore.run_event_records.payload is 'What the producer had to say, a JSON object.';
comment on column runstore.run_event_records.emitted_at is 'The producer''s instant.';
comment on column runstore.run_event_records.persisted_at is 'The store''s instant; never decreases within a run.';
comment on column runstore.run_event_records.adapter_version is 'Version of the adapter that produced the event.';
comment on column runstore.run_event_records.engine_run_ref is 'How the engine itself names the run, a JSON object.';
comment on column runstore.run_event_records.caused_by_signal_id is 'The signal that caused the event.';
comment on column runstore.run_event_records.parent_event_id is 'The event that led to this one.';

grant select on runstore.run_event_records to runstore_reader, runstore_worker, runstore_admin;

-- A page of one run's events after a watermark, in run_seq order; empty for a run that is unknown, or not the
-- tenant's that the session's login is bound to. A reader that has seen n has seen everything below n, so polling
-- with the greatest run_seq seen misses nothing. Null arguments mean their defaults; RS010 for a negative watermark
-- or a limit outside 1 to 10000. Takes no lock, never waits; reads one row and one index range, no further than the
-- page.
create function runstore.fetch_events(p_run_id text, p_after_seq bigint default 0, p_limit int default 1000)
returns setof runstore.event_record
language plpgsql stable parallel safe security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_tenant_id text;
    v_project_id text;
    v_environment_id text;
    v_any_login_is_bound boolean;
begin
    if p_after_seq < 0 then
        perform runstore.raise_error(
            'RS010',
            format('afterSeq %s is refused: expected a watermark from 0', p_after_seq),
            'Send the greatest run_seq that you have seen, or 0 to start at the beginning.',
            'afterSeq', p_after_seq::text, 'a whole number from 0'
        );
    end if;

    if p_limit not between 1 and 10000 then
        perform runstore.raise_error(
            'RS010',
            format('limit %s is refused: expected 1 to 10000', p_limit),
            'Ask for at most 10000 events at a time, and go on from the last run_seq.',
            'limit', p_limit::text, 'a whole number from 1 to 10000'
        );
    end if;

    select r.tenant_id, r.project_id, r.environment_id, c.any_login_is_bound
    into v_tenant_id, v_project_id, v_environment_id, v_any_login_is_bound
    from runstore.run_counters as r
    cross join runstore.config as c
    where r.run_id = p_run_id;

    if not found then
        return;
    end if;

    if v_any_login_is_bound and runstore.tenant_is_foreign(v_tenant_id) then
        return;
    end if;

    return query
    select
        e.run_id, e.run_seq, e.event_id, e.event_type, e.step_id, e.engine_attempt_id, e.logical_attempt_id,
        v_tenant_id, v_project_id, v_environment_id, e.plan_id, e.plan_version, encode(e.idempotency_key, 'hex'),
        e.payload, e.emitted_at, e.persisted_at, e.adapter_version, e.engine_run_ref, e.caused_by_signal_id,
        e.parent_event_id
    from runstore.run_events as e
    where e.run_id = p_run_id and e.run_seq > coalesce(p_after_seq, 0)
    order by e.run_seq
    limit coalesce(p_limit, 1000);
end
$$;

comment on function runstore.fetch_events(text, bigint, int) is
'One run''s events with run_seq greater than p_after_seq, in order, at most p_limit (1 to 10000).';

revoke all on function runstore.fetch_events(text, bigint, int) from public;
grant execute on function runstore.fetch_events(text, bigint, int) to runstore_reader, runstore_worker, runstore_admin;
