begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select runstore.set_config_value('max_signals_per_minute', '3');
select pg_temp.append('{"eventType": "SignalAccepted"}');
select pg_temp.stop_clock('2026-03-01 12:00:20+00');

select is(
    pg_temp.detail(format('select runstore.append_events(%L)', (
        select jsonb_agg(pg_temp.event(v.changes) order by v.nth)
        from (values
            (0, '{"eventType": "SignalRejected"}'::jsonb),
            (1, '{"eventType": "SignalAccepted"}'),
            (2, '{"eventType": "RunPaused"}'),
            (3, '{"eventType": "SignalRejected", "runId": "run-2"}'),
            (4, '{"eventType": "SignalRejected", "logicalAttemptId": 2}'),
            (5, '{"eventType": "SignalRejected", "logicalAttemptId": 3}')
        ) as v (nth, changes)
    ))) - array['field', 'value', 'expected'],
    '{"code": "RS006", "index": 5, "retryAfterMs": 40000}'::jsonb,
    'the fourth new signal of the run; duplicates and other runs do not count'
);
select is(
    pg_temp.detail(format('select runstore.append_events(%L)', (
        select jsonb_agg(pg_temp.event(jsonb_build_object('eventType', 'SignalRejected', 'logicalAttemptId', n)))
        from generate_series(1, 4) as n
    ))) - array['field', 'value', 'expected'],
    '{"code": "RS006", "index": 2, "retryAfterMs": 40000}'::jsonb,
    'the wait is for what the log has'
);
select is(
    pg_temp.detail(format('select runstore.append_events(%L)', (
        select jsonb_agg(pg_temp.event(jsonb_build_object(
            'runId', 'run-3', 'eventType', 'SignalRejected', 'logicalAttemptId', n
        )))
        from generate_series(1, 4) as n
    ))) - array['field', 'value', 'expected'],
    '{"code": "RS006", "index": 3, "retryAfterMs": 60000}'::jsonb,
    'more than ever fit at once'
);
select is(
    pg_temp.outcome(format('select runstore.append_events(%L)', (
        select jsonb_agg(pg_temp.event(jsonb_build_object('eventType', 'SignalRejected', 'logicalAttemptId', n)))
        from generate_series(1, 2) as n
    ))),
    '{}',
    'as many as fit'
);

select * from finish();
rollback;
