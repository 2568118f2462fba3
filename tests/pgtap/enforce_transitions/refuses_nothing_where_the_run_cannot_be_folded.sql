begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.append_types('run-1', 'RunStarted', 'RunPaused', 'RunResumed');
select pg_temp.append_types('run-2', 'RunStarted');
select pg_temp.lose('run-1', 2);
select runstore.set_config_value('projection_mode', 'inline');
select runstore.set_config_value('enforce_transitions', 'true');

select is(
    pg_temp.outcome(format('select runstore.append_event(%L::jsonb)', pg_temp.event('{"logicalAttemptId": 2}'))),
    '{}',
    'behind a gap'
);
select is(
    pg_temp.outcome(format(
        'select runstore.append_event(%L::jsonb)', pg_temp.event('{"runId": "run-2", "logicalAttemptId": 2}')
    )) ->> 'code',
    'RS004',
    'but in every other run'
);

select * from finish();
rollback;
