begin;
\ir ../_helpers/load.sql
select plan(144);

select is(
    runstore.has_wrong_type(jsonb_build_object(f.field, v.value)),
    coalesce(jsonb_typeof(v.value) not in (f.json_type, 'null'), false),
    format('%s %s', f.field, v.value)
)
from runstore.event_fields as f
cross join (values
    ('null'::jsonb), ('"text"'), ('1'), ('true'), ('{"a": 1}'), ('["text"]'), ('[]'), ('[null]')
) as v (value);

select * from finish();
rollback;
