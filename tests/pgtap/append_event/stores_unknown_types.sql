begin;
\ir ../_helpers/load.sql
select plan(1);

select pg_temp.append('{"eventType": "RunStarted"}');
select pg_temp.append('{"eventType": "Heartbeat"}');
select pg_temp.append('{"eventType": "RunCompleted"}');

select results_eq(
    $$ select e.run_seq, e.event_type from runstore.fetch_events('run-1') as e $$,
    $$ values (1::bigint, 'RunStarted'::text), (2, 'Heartbeat'), (3, 'RunCompleted') $$,
    'an unknown type takes its place in the run'
);

select * from finish();
rollback;
