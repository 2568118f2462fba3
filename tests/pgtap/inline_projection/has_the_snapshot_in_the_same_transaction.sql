begin;
\ir ../_helpers/load.sql
select plan(13);

select runstore.set_config_value('projection_mode', 'inline');

select is(pg_temp.outcome(replace(c.statement, 'run-1', c.form)), '{}', format('%s form', c.form))
from pg_temp.calls(pg_temp.event()) as c;
select is(pg_temp.outcome(replace(c.statement, 'run-1', c.form)), '{}', format('%s form, again', c.form))
from pg_temp.calls(pg_temp.event('{"eventType": "StepStarted", "stepId": "load"}')) as c;

select is(
    runstore.get_snapshot(f.form) - 'projectedAt', runstore.replay_snapshot(f.form) || '{"stale": false}',
    format('%s form, the snapshot', f.form)
)
from unnest(array['named', 'positional', 'json', 'batch']) as f (form);
select is(
    (select array_agg(distinct s.last_event_seq) from runstore.run_snapshots as s),
    '{2}'::bigint[],
    'at the end of each log'
);

select * from finish();
rollback;
