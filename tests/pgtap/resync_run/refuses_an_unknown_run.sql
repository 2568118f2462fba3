begin;
\ir ../_helpers/load.sql
select plan(8);

select pg_temp.append();

select is(
    pg_temp.outcome(format('select runstore.resync_run(%L, %L)', v.run_id, m.mode)),
    jsonb_strip_nulls(jsonb_build_object(
        'code', 'RS012', 'field', 'runId', 'value', v.run_id, 'expected', 'the id of a run'
    )),
    format('%s, %s', coalesce(v.run_id, 'null'), m.mode)
)
from (values ('no such run'), ('RUN-1'), (''), (null)) as v (run_id)
cross join unnest(array['FULL', 'FROM_SNAPSHOT']) as m (mode);

select * from finish();
rollback;
