begin;
\ir ../_helpers/load.sql
select plan(5);

select pg_temp.make_login('stranger');

select is(pg_temp.error(v.statement, 'stranger') ->> 'sqlstate', '42501', v.statement)
from (values
    ('select runstore.version()'),
    ('select * from runstore.fetch_events(''run-1'')'),
    ('select * from runstore.run_event_records'),
    ('select * from runstore.alerts'),
    ('select runstore.append_event(''{}''::jsonb)')
) as v (statement);

select * from finish();
rollback;
