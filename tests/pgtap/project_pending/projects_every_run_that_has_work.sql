begin;
\ir ../_helpers/load.sql
select plan(6);

select pg_temp.append_types('run ' || n, 'RunStarted', 'StepStarted') from generate_series(1, 5) as n;
select is(runstore.project_pending(), 5::bigint, 'it answers with how many it brought up to date');
select is(runstore.project_pending(), 0::bigint, 'and then with none');

select pg_temp.append_types('run 2', 'StepCompleted');
select pg_temp.append_types('run 6', 'RunStarted', 'StepStarted');
select is(runstore.project_pending(), 2::bigint, 'an old one and a new one');

select is(
    (select count(*) from runstore.run_snapshots as s where s.status = 'RUNNING'), 6::bigint, 'all have a snapshot'
);
select is_empty(
    $$
    select r.run_id from runstore.run_counters as r
    where runstore.get_snapshot(r.run_id) - array['stale', 'projectedAt'] is distinct from
    runstore.replay_snapshot(r.run_id)
    $$,
    'which is the fold of the log'
);
select is((select count(*) from runstore.due_runs), 0::bigint, 'no work is left');

select * from finish();
rollback;
