begin;
\ir ../_helpers/load.sql
select plan(1);

select is(
    pg_temp.error($$ select runstore.project_pending(0) $$) - array['detail', 'sqlstate'],
    '{
        "message": "INVALID_ARGUMENT: maxRuns 0 is refused: expected 1 to 10000",
        "hint": "Project at most 10000 runs at a time, and call again until the answer is 0."
    }'::jsonb
);

select * from finish();
rollback;
