begin;
\ir ../_helpers/load.sql
select plan(7);

create temporary table damage (nth int, statement text);
insert into damage values
(1, 'delete from runstore.run_steps where run_id = %L'),
(2, 'update runstore.run_steps set status = ''FAILED'', first_seq = 100 - first_seq where run_id = %L'),
(3, 'update runstore.run_states set status = ''CANCELLED'', started_at = null where run_id = %L'),
(4, 'update runstore.run_states set is_consistent = false, error = ''1'', artifacts = ''[1]'' where run_id = %L'),
(5, 'update runstore.run_states set last_event_seq = 1 where run_id = %L'),
(6, 'update runstore.run_states set last_event_seq = 100 where run_id = %L'),
(
    7,
    'insert into runstore.run_steps (first_seq, logical_attempt_id, engine_attempt_id, run_id, step_id, status) '
    'values (1, 1, 1, %L, ''invented'', ''FAILED'')'
);

select runstore.append_events(jsonb_build_array(
    pg_temp.event(jsonb_build_object('runId', 'run ' || d.nth)),
    pg_temp.event(jsonb_build_object('runId', 'run ' || d.nth, 'eventType', 'StepStarted', 'stepId', 'a')),
    pg_temp.event(jsonb_build_object('runId', 'run ' || d.nth, 'eventType', 'StepCompleted', 'stepId', 'b')),
    pg_temp.event(jsonb_build_object('runId', 'run ' || d.nth, 'eventType', 'RunPaused'))
))
from damage as d;
select runstore.project_pending();

do $$
declare
    v_damage damage;
begin
    for v_damage in select d.* from damage as d loop
        execute format(v_damage.statement, 'run ' || v_damage.nth);
    end loop;
end
$$;

create temporary table resynced as
select d.nth, d.statement, runstore.resync_run('run ' || d.nth, 'FULL') as snapshot from damage as d;

select is(
    r.snapshot - 'projectedAt', runstore.replay_snapshot('run ' || r.nth) || '{"stale": false}', r.statement
)
from resynced as r;

select * from finish();
rollback;
