begin;
\ir ../_helpers/load.sql
select plan(20);

select is(
    pg_temp.outcome(format('select runstore.set_config_value(%L, %L)', k.key, v.value)),
    jsonb_strip_nulls(jsonb_build_object(
        'code', 'RS010', 'field', 'value', 'value', v.value, 'expected', k.expected
    )),
    format('%s %s', k.key, coalesce(v.value, 'null'))
)
from (values ('projection_mode', 'async or inline'), ('enforce_transitions', 'true or false')) as k (key, expected)
cross join (values
    (null), (''), ('ASYNC'), ('True'), ('yes'), ('on'), ('1'), ('0'), ('inline '), ('async,inline')
) as v (value);

select * from finish();
rollback;
