begin;
\ir ../_helpers/load.sql
select plan(7);

select pg_temp.append_types('run-1', 'RunStarted', 'RunPaused', 'RunResumed');
select runstore.project_pending();
select pg_temp.lose('run-1', 2);
select pg_temp.append_types('run-1', 'RunCompleted');

select is(runstore.project_pending(), 1::bigint, 'the projector goes on from its snapshot');
create temporary table before as select runstore.get_snapshot('run-1') as snapshot;
select is(
    jsonb_build_array(b.snapshot -> 'lastEventSeq', b.snapshot -> 'stale'), '[4, false]'::jsonb, 'which is not stale'
)
from before as b;

select is(
    runstore.resync_run('run-1') - 'projectedAt',
    (b.snapshot || '{"stale": true}') - 'projectedAt',
    'a full resync keeps it, and says that it cannot be made anew'
)
from before as b;
select is(
    (select jsonb_agg(jsonb_build_array(a.code, a.run_seq, a.count)) from runstore.alerts as a),
    '[["PROJECTOR_GAP_DETECTED", 2, 1]]'::jsonb,
    'with an alert'
);
select is(
    (select jsonb_agg(jsonb_build_array(d.attempts, d.retry_at is not null)) from runstore.due_runs as d),
    '[[1, true]]'::jsonb,
    'and is looked at again'
);

select pg_temp.bring_back('run-1', 2);
select is(
    runstore.resync_run('run-1') - 'projectedAt', runstore.replay_snapshot('run-1') || '{"stale": false}',
    'until the event is back'
);
select is((select count(*) from runstore.alerts as a where a.resolved_at is null), 0::bigint, 'which closes the alert');

select * from finish();
rollback;
