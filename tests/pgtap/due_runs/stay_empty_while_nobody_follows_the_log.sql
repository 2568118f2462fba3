begin;
\ir ../_helpers/load.sql
select plan(6);

select runstore.set_config_value('projection_mode', 'inline');

select is(pg_temp.outcome(replace(c.statement, 'run-1', c.form)), '{}', format('%s form', c.form))
from pg_temp.calls(pg_temp.event()) as c;
select is((select count(*) from runstore.due_runs), 0::bigint, 'no note');
select is(
    (select count(*) from runstore.run_counters as r where r.due_from_seq is not null), 0::bigint, 'and no mark'
);

select * from finish();
rollback;
