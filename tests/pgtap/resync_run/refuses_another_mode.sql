begin;
\ir ../_helpers/load.sql
select plan(7);

select pg_temp.append();

select is(
    pg_temp.outcome(format('select runstore.resync_run(%L, %L)', v.run_id, v.mode)),
    jsonb_build_object('code', 'RS010', 'field', 'mode', 'value', v.mode, 'expected', 'FULL or FROM_SNAPSHOT'),
    format('%s of %s', v.mode, v.run_id)
)
from (values
    ('run-1', 'full'), ('run-1', ''), ('run-1', 'FULL '), ('run-1', 'PARTIAL'), ('run-1', 'FROM SNAPSHOT'),
    ('no such run', 'full')
) as v (run_id, mode);
select is(runstore.get_snapshot('run-1'), null, 'nothing is projected');

select * from finish();
rollback;
