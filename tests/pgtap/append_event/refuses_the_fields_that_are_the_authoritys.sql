begin;
\ir ../_helpers/load.sql
select plan(4);

select is(
    pg_temp.outcome(c.statement) - array['expected', 'index'],
    jsonb_build_object('code', 'RS001', 'field', v.field, 'value', v.value #>> '{}'),
    format('%s, %s form', v.field, c.form)
)
from (values ('runSeq', '1'::jsonb), ('persistedAt', '"2026-02-16T09:30:00Z"')) as v (field, value)
cross join lateral pg_temp.calls(pg_temp.event(jsonb_build_object(v.field, v.value))) as c
where c.form in ('json', 'batch');

select * from finish();
rollback;
