begin;
\ir ../_helpers/load.sql
select plan(2);

select unalike(pg_temp.error(c.statement)::text, '%secret%', format('%s form', c.form))
from pg_temp.calls(pg_temp.event('{"pay_load": {"a": "secret"}}')) as c
where c.form in ('json', 'batch');

select * from finish();
rollback;
