begin;
\ir ../_helpers/load.sql
select plan(3);

select pg_temp.append();

select case
    when current_setting('server_version_num')::int >= 150000
        then is(pg_temp.outcome(v.statement), '{"code": "RS009"}'::jsonb, v.what)
    else pass(v.what || ': this server has no MERGE')
end
from (values
    ('update', $$
    merge into runstore.run_events as e using (select 1) as s on true when matched then update set payload = null
    $$),
    ('delete', $$ merge into runstore.run_events as e using (select 1) as s on true when matched then delete $$),
    ('update of nothing', $$
    merge into runstore.run_events as e using (select 1) as s on false when matched then update set payload = null
    $$)
) as v (what, statement);

select * from finish();
rollback;
