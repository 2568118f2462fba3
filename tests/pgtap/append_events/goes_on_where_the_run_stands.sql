begin;
\ir ../_helpers/load.sql
select plan(1);

select pg_temp.append(jsonb_build_object('eventType', 'Custom', 'logicalAttemptId', n)) from generate_series(1, 3) as n;

select results_eq(
    $$
    select a.run_seq
    from runstore.append_events(jsonb_build_array(
        pg_temp.event('{"eventType": "Custom", "logicalAttemptId": 4}'),
        pg_temp.event('{"runId": "run-2"}'),
        pg_temp.event('{"eventType": "Custom", "logicalAttemptId": 5}')
    )) as a
    $$,
    $$ values (4::bigint), (1), (5) $$
);

select * from finish();
rollback;
