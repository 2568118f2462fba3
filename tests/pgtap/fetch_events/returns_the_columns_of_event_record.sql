begin;
\ir ../_helpers/load.sql
select plan(3);

create temporary table expected (place int generated always as identity, name text, type text);
insert into expected (name, type) values
('run_id', 'text'), ('run_seq', 'bigint'), ('event_id', 'uuid'), ('event_type', 'text'), ('step_id', 'text'),
('engine_attempt_id', 'integer'), ('logical_attempt_id', 'integer'), ('tenant_id', 'text'), ('project_id', 'text'),
('environment_id', 'text'), ('plan_id', 'text'), ('plan_version', 'text'), ('idempotency_key', 'text'),
('payload', 'jsonb'), ('emitted_at', 'timestamp with time zone'), ('persisted_at', 'timestamp with time zone'),
('adapter_version', 'text'), ('engine_run_ref', 'jsonb'), ('caused_by_signal_id', 'uuid'), ('parent_event_id', 'uuid');

create temporary table fetched as select * from runstore.fetch_events('run-1');

select is(
    (
        select array_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod) order by a.attnum)
        from pg_attribute as a
        where a.attrelid = v.relation::regclass and a.attnum > 0 and not a.attisdropped
    ),
    (select array_agg(e.name || ' ' || e.type order by e.place) from expected as e),
    v.what
)
from (values
    ('pg_temp.fetched', 'what fetch_events returns'),
    ('runstore.event_record', 'event_record'),
    ('runstore.run_event_records', 'the view run_event_records')
) as v (relation, what);

select * from finish();
rollback;
