-- What was projected when the run had n events, replayed afterwards.
begin;
\ir ../_helpers/load.sql
select plan(14);

create temporary table projected (n bigint, snapshot jsonb);

do $$
declare
    v_event record;
begin
    for v_event in
        select e.* from (values
            (1, 'RunQueued', null, 1), (2, 'RunStarted', null, 1), (3, 'StepStarted', 'a', 1),
            (4, 'RunPaused', null, 1), (5, 'StepFailed', 'a', 1), (6, 'RunPaused', null, 2),
            (7, 'StepStarted', 'a', 2), (8, 'StepCompleted', 'a', 1), (9, 'Custom', 'a', 1),
            (10, 'StepSkipped', 'b', 1), (11, 'StepStarted', 'b', 1), (12, 'StepCompleted', 'a', 2),
            (13, 'RunCompleted', null, 1), (14, 'RunResumed', null, 1)
        ) as e (n, event_type, step_id, attempt)
        order by e.n
    loop
        perform pg_temp.append(jsonb_build_object(
            'eventType', v_event.event_type, 'stepId', v_event.step_id, 'logicalAttemptId', v_event.attempt,
            'engineAttemptId', v_event.n,
            'emittedAt', to_char(timestamp '2026-01-01' + v_event.n * interval '1 hour', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
            'payload', jsonb_build_object('error', v_event.n, 'reason', v_event.n)
        ));
        insert into projected
        select v_event.n, runstore.project_snapshot('run-1') - array['stale', 'projectedAt'];
    end loop;
end
$$;

select is(runstore.replay_snapshot('run-1', p.n), p.snapshot, format('the first %s', p.n)) from projected as p;

select * from finish();
rollback;
