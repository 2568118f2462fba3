begin;
\ir ../_helpers/load.sql
select plan(3);

select is(pg_temp.error(v.statement) - array['detail', 'sqlstate'], v.expected, v.statement)
from (values
    (
        'select * from runstore.list_runs(p_limit => 0)',
        '{
            "message": "INVALID_ARGUMENT: limit 0 is refused: expected 1 to 10000",
            "hint": "Ask for at most 10000 runs at a time, and go on from the last cursor."
        }'::jsonb
    ),
    (
        'select * from runstore.list_runs(p_status => ''DONE'')',
        '{
            "message": "INVALID_ARGUMENT: status ''DONE'' is no state of a run",
            "hint": "Use one of the states named under \"expected\", or leave it out."
        }'
    ),
    (
        'select * from runstore.list_runs(p_cursor => ''1'')',
        '{
            "message": "INVALID_ARGUMENT: cursor ''1'' is not one that list_runs() gave",
            "hint": "Give the cursor of the last row of the page before, as it is."
        }'
    )
) as v (statement, expected);

select * from finish();
rollback;
