begin;
\ir ../_helpers/load.sql
select plan(4);

select is(pg_temp.outcome(v.statement), '{"code": "RS009"}'::jsonb, v.statement)
from (values
    ($$ delete from runstore.run_events where run_id = 'no such run' $$),
    ('delete from runstore.run_events where false'),
    ($$ update runstore.run_events set payload = null where run_id = 'no such run' $$),
    ('truncate runstore.run_events')
) as v (statement);

select * from finish();
rollback;
