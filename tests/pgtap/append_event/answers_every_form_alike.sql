begin;
\ir ../_helpers/load.sql
select plan(5);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');

create temporary table answers (form text, answer jsonb);

do $$
declare
    v_form text;
    v_statement text;
begin
    for v_form, v_statement in
        select c.form, replace(c.statement, 'the run', c.form)
        from pg_temp.calls(pg_temp.event(jsonb_build_object(
            'runId', 'the run', 'eventType', 'StepCompleted', 'stepId', 'load', 'eventId', pg_temp.id(1),
            'engineAttemptId', 2, 'logicalAttemptId', 3, 'idempotencyKey', pg_temp.key(1),
            'payload', '{"rows": 12}'::jsonb, 'adapterVersion', '1.2', 'engineRunRef', '{"id": "x"}'::jsonb,
            'causedBySignalId', pg_temp.id(2), 'parentEventId', pg_temp.id(3)
        ))) as c
    loop
        execute format('insert into answers select %L, to_jsonb(a) from (%s) as a', v_form, v_statement);
    end loop;
end
$$;

select is(
    a.answer,
    '{
        "event_id": "00000000-0000-4000-8000-000000000001", "run_seq": 1,
        "persisted_at": "2026-03-01T12:00:00+00:00", "idempotent": false, "persisted": true
    }'::jsonb,
    a.form
)
from answers as a;

select is(
    (select count(distinct to_jsonb(e) - 'run_id') from runstore.run_event_records as e),
    1::bigint,
    'all four stored the same'
);

select * from finish();
rollback;
