begin;
\ir ../_helpers/load.sql
select plan(18);

select is(
    pg_temp.detail(format(v.call, h.text)) ->> 'value', h.text, format(v.call, h.text)
)
from (values
    ('select runstore.set_config_value(%L, ''1'')'), ('select runstore.set_config_value(''max_payload_bytes'', %L)')
) as v (call)
cross join (values
    (''' or 1=1 --'), ('"; drop table runstore.config; --'), ('\'), ('\\''\"'), (E'a\nb\r\tc'),
    ('%s %I %L %1$s %%'), ('$$'), ('{"a": 1}'), (E'\x1b[31m😀')
) as h (text);

select * from finish();
rollback;
