begin;
\ir ../_helpers/load.sql
select plan(3);

select pg_temp.stop_clock('2026-03-01 12:00:03+00');
select pg_temp.append('{"runId": "third"}');
select pg_temp.stop_clock('2026-03-01 12:00:01+00');
select pg_temp.append('{"runId": "first"}');
select pg_temp.stop_clock('2026-03-01 12:00:02+00');
select pg_temp.append('{"runId": "second"}');
select pg_temp.stop_clock('2026-03-01 12:00:04+00');
-- One more event does not put a run back in line.
select pg_temp.append('{"runId": "first", "eventType": "RunPaused"}');

create function pg_temp.projected() returns text[] language sql stable as $$
    select array_agg(s.run_id::text collate "default" order by s.run_id) from runstore.run_snapshots as s
$$;

select runstore.project_pending(1);
select is(pg_temp.projected(), '{first}', 'the first');
select runstore.project_pending(1);
select is(pg_temp.projected(), '{first,second}', 'then the second');
select runstore.project_pending(1);
select is(pg_temp.projected(), '{first,second,third}', 'then the third');

select * from finish();
rollback;
