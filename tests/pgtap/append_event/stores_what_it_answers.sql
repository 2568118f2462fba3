begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
create temporary table answer as select a.* from pg_temp.append() as a;
select pg_temp.stop_clock('2026-03-01 11:00:00+00');
insert into answer select a.* from pg_temp.append('{"eventType": "RunPaused"}') as a;
select pg_temp.stop_clock('2026-03-01 12:30:00+00');
insert into answer select a.* from pg_temp.append('{"eventType": "RunResumed"}') as a;

select results_eq(
    'select a.event_id, a.run_seq, a.persisted_at from answer as a order by a.run_seq',
    $$ select e.event_id, e.run_seq, e.persisted_at from runstore.fetch_events('run-1') as e $$,
    'ids, numbers and times'
);
select results_eq(
    'select r.last_seq, r.last_persisted_at from runstore.run_counters as r',
    $$ values (3::bigint, '2026-03-01 12:30:00+00'::timestamptz) $$,
    'the counter stands at the last event'
);

select * from finish();
rollback;
