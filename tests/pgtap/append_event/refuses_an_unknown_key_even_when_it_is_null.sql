begin;
\ir ../_helpers/load.sql
select plan(2);

select is(
    pg_temp.outcome(c.statement) - array['expected', 'index'],
    '{"code": "RS001", "field": "extra"}'::jsonb,
    format('%s form', c.form)
)
from pg_temp.calls(pg_temp.event('{"extra": null}')) as c
where c.form in ('json', 'batch');

select * from finish();
rollback;
