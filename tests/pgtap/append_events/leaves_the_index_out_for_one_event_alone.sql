begin;
\ir ../_helpers/load.sql
select plan(2);

select ok(not pg_temp.outcome(c.statement) ? 'index', format('%s form', c.form))
from pg_temp.calls(pg_temp.event('{"planId": ""}')) as c
where c.form in ('named', 'json');

select * from finish();
rollback;
