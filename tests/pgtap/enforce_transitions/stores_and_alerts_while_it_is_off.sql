begin;
\ir ../_helpers/load.sql
select plan(6);

select runstore.set_config_value('projection_mode', 'inline');

select is(pg_temp.outcome(replace(c.statement, 'run-1', c.form)), '{}', format('%s form', c.form))
from pg_temp.calls(pg_temp.event('{"eventType": "RunPaused"}')) as c;
select results_eq(
    'select a.code::text collate "default", a.run_seq, count(*) from runstore.alerts as a group by 1, 2',
    $$ values ('INVALID_TRANSITION'::text, 1::bigint, 4::bigint) $$,
    'an alert each'
);
select is(
    (select count(*) from runstore.list_runs() as r where r.consistency = 'INCONSISTENT'), 4::bigint, 'and marked'
);

select * from finish();
rollback;
