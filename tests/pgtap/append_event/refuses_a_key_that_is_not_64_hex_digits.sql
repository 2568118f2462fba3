begin;
\ir ../_helpers/load.sql
select plan(36);

select is(
    pg_temp.outcome(c.statement) - array['expected', 'index'],
    jsonb_build_object('code', 'RS001', 'field', 'idempotencyKey', 'value', v.key),
    format('"%s", %s form', v.key, c.form)
)
from (values
    (''),
    (repeat('a', 63)),
    (repeat('a', 65)),
    (repeat('a', 63) || 'g'),
    (' ' || repeat('a', 63)),
    (repeat('a', 63) || E'\n'),
    ('0x' || repeat('a', 62)),
    (repeat('ａ', 64)),
    ('not a key')
) as v (key)
cross join lateral pg_temp.calls(pg_temp.event(jsonb_build_object('idempotencyKey', v.key))) as c;

select * from finish();
rollback;
