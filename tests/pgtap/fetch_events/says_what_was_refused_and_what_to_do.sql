begin;
\ir ../_helpers/load.sql
select plan(2);

select is(
    pg_temp.error($$ select * from runstore.fetch_events('r', -1) $$) - array['detail', 'sqlstate'],
    '{
        "message": "INVALID_ARGUMENT: afterSeq -1 is refused: expected a watermark from 0",
        "hint": "Send the greatest run_seq that you have seen, or 0 to start at the beginning."
    }'::jsonb,
    'watermark'
);
select is(
    pg_temp.error($$ select * from runstore.fetch_events('r', 0, 10001) $$) - array['detail', 'sqlstate'],
    '{
        "message": "INVALID_ARGUMENT: limit 10001 is refused: expected 1 to 10000",
        "hint": "Ask for at most 10000 events at a time, and go on from the last run_seq."
    }'::jsonb,
    'limit'
);

select * from finish();
rollback;
