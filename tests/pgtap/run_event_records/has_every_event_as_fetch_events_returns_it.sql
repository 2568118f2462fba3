begin;
\ir ../_helpers/load.sql
select plan(1);

select pg_temp.append(jsonb_build_object(
    'runId', 'run-' || n % 3, 'eventType', 'StepStarted', 'stepId', 's', 'logicalAttemptId', n,
    'payload', '{"a": 1}'::jsonb, 'adapterVersion', '1', 'engineRunRef', '{"b": 2}'::jsonb
))
from generate_series(1, 9) as n;

select set_eq(
    'select to_jsonb(e) from runstore.run_event_records as e',
    'select to_jsonb(e) from generate_series(0, 2) as n cross join lateral runstore.fetch_events(''run-'' || n) as e'
);

select * from finish();
rollback;
