begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.append();
set local session_replication_role = replica;

select is(pg_temp.outcome(v.statement), '{"code": "RS009"}'::jsonb, v.statement)
from (values
    ('update runstore.run_events set payload = null'),
    ('delete from runstore.run_events'),
    ('truncate runstore.run_events'),
    ('insert into runstore.run_events select * from runstore.run_events
      on conflict (run_id, run_seq) do update set payload = excluded.payload')
) as v (statement);

select * from finish();
rollback;
