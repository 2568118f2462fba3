begin;
\ir ../_helpers/load.sql
select plan(1);

select pg_temp.append();

select ok(
    not s.j ? 'totalDurationMs' and not s.j ? 'completedAt' and s.j ? 'startedAt', 'neither duration nor end'
)
from runstore.project_snapshot('run-1') as s (j);

select * from finish();
rollback;
