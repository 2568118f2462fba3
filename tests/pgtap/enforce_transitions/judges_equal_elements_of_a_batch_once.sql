begin;
\ir ../_helpers/load.sql
select plan(3);

select runstore.set_config_value('projection_mode', 'inline');
select runstore.set_config_value('enforce_transitions', 'true');

select is(
    pg_temp.outcome(format('select runstore.append_events(%L)', jsonb_build_array(
        pg_temp.event(), pg_temp.event(), pg_temp.event('{"eventType": "RunPaused"}'), pg_temp.event()
    ))),
    '{}',
    'one that comes again is answered'
);
select is(
    pg_temp.outcome(format('select runstore.append_events(%L)', jsonb_build_array(
        pg_temp.event('{"runId": "run-2"}'), pg_temp.event('{"runId": "run-2"}'),
        pg_temp.event('{"runId": "run-2", "eventType": "RunResumed"}'),
        pg_temp.event('{"runId": "run-2", "eventType": "RunResumed"}')
    ))) -> 'index',
    '2'::jsonb,
    'the first of two that offend'
);
select is(
    pg_temp.outcome(format('select runstore.append_events(%L)', jsonb_build_array(
        pg_temp.event(), pg_temp.event('{"eventType": "RunPaused"}'),
        pg_temp.event('{"eventType": "RunPaused", "logicalAttemptId": 2}')
    ))) -> 'index',
    '2'::jsonb,
    'after those that are stored'
);

select * from finish();
rollback;
