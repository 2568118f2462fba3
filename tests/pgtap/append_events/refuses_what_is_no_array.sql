begin;
\ir ../_helpers/load.sql
select plan(6);

select is(
    pg_temp.outcome(format('select runstore.append_events(%L::jsonb)', v.events)) - 'expected',
    '{"code": "RS001", "field": "events"}'::jsonb,
    coalesce(v.events::text, 'SQL null')
)
from (values (null::jsonb), ('null'), ('{}'), ('"text"'), ('1'), ('true')) as v (events);

select * from finish();
rollback;
