begin;
\ir ../_helpers/load.sql
select plan(4);

select is(
    pg_temp.outcome(format('select * from runstore.list_runs(p_limit => %s)', v.row_limit)),
    jsonb_build_object(
        'code', 'RS010', 'field', 'limit', 'value', v.row_limit::text, 'expected', 'a whole number from 1 to 10000'
    ),
    v.row_limit::text
)
from (values (0), (-1), (10001), (2147483647)) as v (row_limit);

select * from finish();
rollback;
