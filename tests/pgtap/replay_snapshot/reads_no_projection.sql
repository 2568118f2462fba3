begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.append_types('run-1', 'RunStarted', 'StepStarted', 'StepCompleted');
create temporary table before as select runstore.replay_snapshot('run-1') as snapshot;
select runstore.project_snapshot('run-1');

update runstore.run_states set status = 'FAILED', last_event_seq = 2, is_consistent = false, tenant_id = 'other';
update runstore.run_steps set status = 'SKIPPED', logical_attempt_id = 9;
insert into runstore.run_steps (first_seq, logical_attempt_id, engine_attempt_id, run_id, step_id, status) values
(1, 1, 1, 'run-1', 'invented', 'FAILED');
select is(runstore.replay_snapshot('run-1'), b.snapshot, 'not one that is wrong') from before as b;

update runstore.run_states set last_event_seq = 100;
select is(runstore.replay_snapshot('run-1'), b.snapshot, 'nor one that claims to be ahead') from before as b;

select * from finish();
rollback;
