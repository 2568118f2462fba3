begin;
\ir ../_helpers/load.sql
select plan(5);

select pg_temp.append();

select is(
    pg_temp.outcome(format('select runstore.project_pending(%s)', v.max_runs)),
    jsonb_build_object(
        'code', 'RS010', 'field', 'maxRuns', 'value', v.max_runs::text, 'expected', 'a whole number from 1 to 10000'
    ),
    v.max_runs::text
)
from (values (0), (-1), (10001), (2147483647)) as v (max_runs);
select is(runstore.get_snapshot('run-1'), null, 'nothing is projected');

select * from finish();
rollback;
