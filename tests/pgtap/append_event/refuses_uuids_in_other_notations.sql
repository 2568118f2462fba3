begin;
\ir ../_helpers/load.sql
select plan(72);

select is(
    pg_temp.outcome(c.statement) - array['expected', 'index'],
    jsonb_build_object('code', 'RS001', 'field', f.field, 'value', v.text),
    format('%s "%s", %s form', f.field, v.text, c.form)
)
from unnest(array['eventId', 'causedBySignalId', 'parentEventId']) as f (field)
cross join (values
    (''),
    ('0d3c6a9e4f0c4a8e9d5d3d4c0f7dbb8a'),
    ('{0d3c6a9e-4f0c-4a8e-9d5d-3d4c0f7dbb8a}'),
    ('urn:uuid:0d3c6a9e-4f0c-4a8e-9d5d-3d4c0f7dbb8a'),
    ('0d3c-6a9e-4f0c-4a8e-9d5d-3d4c-0f7d-bb8a'),
    ('0d3c6a9e-4f0c-4a8e-9d5d-3d4c0f7dbb8'),
    ('0d3c6a9e-4f0c-4a8e-9d5d-3d4c0f7dbb8ag'),
    ('0d3c6a9e-4f0c-4a8e-9d5d-3d4c0f7dbb8z'),
    ('0d3c6a9e--4f0c-4a8e9d5d-3d4c0f7dbb8a'),
    ('-0d3c6a9-4f0c-4a8e-9d5d-3d4c0f7dbb8a'),
    (' 0d3c6a9e-4f0c-4a8e-9d5d-3d4c0f7dbb8a'),
    ('0d3c6a9e_4f0c_4a8e_9d5d_3d4c0f7dbb8a')
) as v (text)
cross join lateral pg_temp.calls(pg_temp.event(jsonb_build_object(f.field, v.text))) as c
where c.form in ('json', 'batch');

select * from finish();
rollback;
