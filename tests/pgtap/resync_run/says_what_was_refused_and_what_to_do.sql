begin;
\ir ../_helpers/load.sql
select plan(1);

select is(
    pg_temp.error($$ select runstore.resync_run('r', 'SOME') $$) - array['detail', 'sqlstate'],
    '{
        "message": "INVALID_ARGUMENT: mode ''SOME'' is no way to resync a run",
        "hint": "Use FULL for the whole log, or FROM_SNAPSHOT for what is new in it."
    }'::jsonb
);

select * from finish();
rollback;
