begin;
\ir ../_helpers/load.sql
select plan(1);

select is(
    pg_temp.error($$ select runstore.project_snapshot('nothing') $$) - 'detail',
    '{
        "sqlstate": "RS012",
        "message": "RUN_NOT_FOUND: runId ''nothing'' is no run",
        "hint": "Check the id; a run exists from its first event on."
    }'::jsonb
);

select * from finish();
rollback;
