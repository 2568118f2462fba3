begin;
\ir ../_helpers/load.sql
select plan(3);

select is(
    pg_temp.error(v.statement) - 'sqlstate',
    jsonb_build_object(
        'message', format('APPEND_ONLY: %s of runstore.run_events is refused: events are never changed', v.operation),
        'detail', '{"code": "RS009"}',
        'hint', 'Append a correcting event instead.'
    ),
    v.operation
)
from (values
    ('UPDATE', 'update runstore.run_events set payload = null'),
    ('DELETE', 'delete from runstore.run_events'),
    ('TRUNCATE', 'truncate runstore.run_events')
) as v (operation, statement);

select * from finish();
rollback;
