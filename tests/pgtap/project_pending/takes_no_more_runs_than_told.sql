begin;
\ir ../_helpers/load.sql
select plan(5);

select pg_temp.append_types('run ' || n, 'RunStarted') from generate_series(1, 6) as n;

select is(runstore.project_pending(v.max_runs), v.done, format('%s of the rest', v.max_runs))
from (values (1, 1::bigint), (2, 2), (10000, 3), (1, 0)) as v (max_runs, done);
select is((select count(*) from runstore.run_snapshots), 6::bigint, 'all are done');

select * from finish();
rollback;
