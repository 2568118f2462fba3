begin;
\ir ../_helpers/load.sql
select plan(8);

select is(
    pg_temp.outcome(format(
        'select pg_temp.append(%L)', jsonb_build_object('runId', f.field || v.id, f.field, v.id)
    )),
    '{}',
    format('%s %s', f.field, v.id)
)
from unnest(array['causedBySignalId', 'parentEventId']) as f (field)
cross join unnest(array[
    '00000000-0000-0000-0000-000000000000', '6ba7b810-9dad-11d1-80b4-00c04fd430c8',
    '017f22e2-79b0-7cc3-98c4-dc0c0c07398f', '0d3c6a9e-4f0c-4a8e-9d5d-3d4c0f7dbb8a'
]) as v (id);

select * from finish();
rollback;
