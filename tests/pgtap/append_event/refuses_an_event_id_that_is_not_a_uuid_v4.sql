begin;
\ir ../_helpers/load.sql
select plan(32);

select is(
    pg_temp.outcome(c.statement) - array['expected', 'index'],
    jsonb_build_object('code', 'RS001', 'field', 'eventId', 'value', v.id),
    format('%s, %s form', v.what, c.form)
)
from (values
    ('nil', '00000000-0000-0000-0000-000000000000'),
    ('max', 'ffffffff-ffff-ffff-ffff-ffffffffffff'),
    ('version 1', '6ba7b810-9dad-11d1-80b4-00c04fd430c8'),
    ('version 3', '6fa459ea-ee8a-3ca4-894e-db77e160355e'),
    ('version 5', '886313e1-3b8a-5372-9b90-0c9aee199e5d'),
    ('version 7', '017f22e2-79b0-7cc3-98c4-dc0c0c07398f'),
    ('the variant below', '0d3c6a9e-4f0c-4a8e-7d5d-3d4c0f7dbb8a'),
    ('the variant above', '0d3c6a9e-4f0c-4a8e-cd5d-3d4c0f7dbb8a')
) as v (what, id)
cross join lateral pg_temp.calls(pg_temp.event(jsonb_build_object('eventId', v.id))) as c;

select * from finish();
rollback;
