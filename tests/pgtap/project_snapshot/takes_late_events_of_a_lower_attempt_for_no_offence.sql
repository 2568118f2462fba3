-- Events that the lower attempt could not take any more, folded in one go and one by one.
begin;
\ir ../_helpers/load.sql
select plan(7);

create temporary table event as
select * from (values
    (1, 'StepFailed', 1), (2, 'StepStarted', 2), (3, 'StepSkipped', 1), (4, 'StepCompleted', 1), (5, 'StepFailed', 1),
    (6, 'StepCompleted', 2), (7, 'StepCompleted', 1)
) as e (nth, event_type, attempt);

do $$
declare
    v_event event;
    v_run_id text;
begin
    foreach v_run_id in array array['in one go', 'one by one'] loop
        for v_event in select e.* from event as e order by e.nth loop
            perform pg_temp.append(jsonb_build_object(
                'runId', v_run_id, 'eventType', v_event.event_type, 'stepId', 'load',
                'logicalAttemptId', v_event.attempt, 'idempotencyKey', pg_temp.key(v_event.nth)
            ));

            if v_run_id = 'one by one' then
                perform runstore.project_snapshot(v_run_id);
            end if;
        end loop;
    end loop;
end
$$;
select runstore.project_pending();

select is(
    jsonb_build_array(s.j -> 'consistency', s.j #> '{steps,0,status}', s.j #> '{steps,0,logicalAttemptId}'),
    '["CONSISTENT", "SUCCESS", 2]'::jsonb,
    v.run_id
)
from (values ('in one go'), ('one by one')) as v (run_id)
cross join lateral runstore.get_snapshot(v.run_id) as s (j);
select is(runstore.replay_snapshot(v.run_id) -> 'consistency', '"CONSISTENT"'::jsonb, format('%s, replayed', v.run_id))
from (values ('in one go'), ('one by one')) as v (run_id);
select is((select count(*) from runstore.alerts), 0::bigint, 'no alert');

select pg_temp.append('{"eventType": "StepFailed", "stepId": "load"}');
select pg_temp.append('{"eventType": "StepCompleted", "stepId": "load"}');
select pg_temp.append('{"eventType": "StepStarted", "stepId": "load", "logicalAttemptId": 2}');
select is(
    runstore.project_snapshot('run-1') -> 'consistency', '"INCONSISTENT"'::jsonb,
    'but one that came before the higher attempt'
);
select results_eq('select a.run_seq from runstore.alerts as a', 'values (2::bigint)', 'which has an alert');

select * from finish();
rollback;
