begin;
\ir ../_helpers/load.sql
select plan(5);

select is(
    pg_temp.outcome(format('select * from runstore.fetch_events(%L, 0, %s)', v.run_id, v.row_limit)) - 'expected',
    jsonb_build_object('code', 'RS010', 'field', 'limit', 'value', v.row_limit::text),
    format('%s of %s', v.row_limit, v.run_id)
)
from (values
    ('run-1', 0), ('run-1', -1), ('run-1', 10001), ('run-1', 2147483647), ('no such run', 0)
) as v (run_id, row_limit);

select * from finish();
rollback;
