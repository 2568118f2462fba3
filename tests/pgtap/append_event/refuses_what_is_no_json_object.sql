begin;
\ir ../_helpers/load.sql
select plan(8);

select is(
    pg_temp.outcome(format('select runstore.append_event(%L::jsonb)', v.event)) - 'expected',
    '{"code": "RS001", "field": "event"}'::jsonb,
    format('append_event(%s)', coalesce(v.event::text, 'null'))
)
from (values (null::jsonb), ('null'), ('[]'), ('[{}]'), ('"event"'), ('1'), ('true'), ('""')) as v (event);

select * from finish();
rollback;
