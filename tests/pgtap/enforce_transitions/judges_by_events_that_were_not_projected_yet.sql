begin;
\ir ../_helpers/load.sql
select plan(3);

select pg_temp.append_types('run-1', 'RunStarted', 'RunPaused', 'RunPaused');
select runstore.set_config_value('projection_mode', 'inline');
select runstore.set_config_value('enforce_transitions', 'true');

select is(
    pg_temp.outcome(format('select runstore.append_event(%L::jsonb)', pg_temp.event('{"logicalAttemptId": 2}')))
    ->> 'code',
    'RS004',
    'the run has started'
);
select is(
    pg_temp.outcome(format('select runstore.append_event(%L::jsonb)', pg_temp.event('{"eventType": "RunResumed"}'))),
    '{}',
    'an offence of earlier days does not count against a new event'
);
select is(
    jsonb_build_array(s.j -> 'status', s.j -> 'consistency', s.j -> 'lastEventSeq'),
    '["RUNNING", "INCONSISTENT", 4]'::jsonb,
    'but shows in the snapshot'
)
from runstore.get_snapshot('run-1') as s (j);

select * from finish();
rollback;
