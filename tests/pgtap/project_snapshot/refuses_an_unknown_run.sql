begin;
\ir ../_helpers/load.sql
select plan(5);

select pg_temp.append();

select is(
    pg_temp.outcome(format('select runstore.project_snapshot(%L)', v.run_id)),
    jsonb_strip_nulls(jsonb_build_object(
        'code', 'RS012', 'field', 'runId', 'value', v.run_id, 'expected', 'the id of a run'
    )),
    coalesce(v.run_id, 'null')
)
from (values ('no such run'), ('RUN-1'), ('run-1 '), (''), (null)) as v (run_id);

select * from finish();
rollback;
