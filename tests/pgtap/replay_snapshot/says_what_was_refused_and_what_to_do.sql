begin;
\ir ../_helpers/load.sql
select plan(2);

select is(
    pg_temp.error($$ select runstore.replay_snapshot('r', 0) $$) - array['detail', 'sqlstate'],
    '{
        "message": "INVALID_ARGUMENT: upToSeq 0 is refused: expected a sequence number from 1",
        "hint": "Give the run_seq of the last event to fold, or leave it out for all of them."
    }'::jsonb,
    'a sequence'
);
select is(
    pg_temp.error($$ select runstore.replay_snapshot('r', 1) $$) - array['detail', 'sqlstate'],
    '{
        "message": "RUN_NOT_FOUND: runId ''r'' is no run",
        "hint": "Check the id; a run exists from its first event on."
    }'::jsonb,
    'a run'
);

select * from finish();
rollback;
