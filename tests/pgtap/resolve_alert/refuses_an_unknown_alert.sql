begin;
\ir ../_helpers/load.sql
select plan(2);

select is(
    pg_temp.outcome(format('select runstore.resolve_alert(%L)', v.id)) - 'expected',
    jsonb_strip_nulls(jsonb_build_object('code', 'RS010', 'field', 'alertId', 'value', v.id)),
    coalesce(v.id, 'null')
)
from (values ('0d3c6a9e-4f0c-4a8e-9d5d-3d4c0f7dbb8a'), (null)) as v (id);

select * from finish();
rollback;
