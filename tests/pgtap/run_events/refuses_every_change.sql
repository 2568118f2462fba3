begin;
\ir ../_helpers/load.sql
select plan(9);

select pg_temp.append();

select is(pg_temp.outcome(v.statement), '{"code": "RS009"}'::jsonb, v.statement)
from (values
    ('update runstore.run_events set payload = null'),
    ('update only runstore.run_events set run_seq = run_seq'),
    ('delete from runstore.run_events'),
    ('with gone as (delete from runstore.run_events returning run_id) select count(*) from gone'),
    ('truncate runstore.run_events'),
    ('truncate runstore.run_events, runstore.run_counters cascade'),
    ('insert into runstore.run_events select * from runstore.run_events
      on conflict (run_id, run_seq) do update set payload = excluded.payload'),
    ('insert into runstore.run_events select * from runstore.run_events
      on conflict (run_id, run_seq) do update set payload = excluded.payload where false')
) as v (statement);

select is((select count(*) from runstore.fetch_events('run-1')), 1::bigint, 'the event is still there');

select * from finish();
rollback;
