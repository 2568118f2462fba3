begin;
\ir ../_helpers/load.sql
select plan(3);

select pg_temp.append();
select pg_temp.make_login('log_owner');
grant usage on schema runstore to log_owner;
alter table runstore.run_events owner to log_owner;

select is(pg_temp.outcome(v.statement, 'log_owner'), '{"code": "RS009"}'::jsonb, v.statement)
from (values
    ('update runstore.run_events set payload = null'),
    ('delete from runstore.run_events'),
    ('truncate runstore.run_events')
) as v (statement);

select * from finish();
rollback;
