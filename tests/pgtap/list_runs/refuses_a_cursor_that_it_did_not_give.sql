begin;
\ir ../_helpers/load.sql
select plan(12);

select pg_temp.append();
select runstore.project_pending();

select is(
    pg_temp.outcome(format('select * from runstore.list_runs(p_cursor => %L)', v.cursor)),
    jsonb_build_object('code', 'RS010', 'field', 'cursor', 'value', v.cursor, 'expected', 'the cursor of a row'),
    v.cursor
)
from (values
    (''), ('|'), ('run-1'), ('2026-03-01T12:00:00.000000Z'), ('2026-03-01T12:00:00.000000Z|'), ('|run-1'),
    ('yesterday|run-1'), ('infinity|run-1'), ('2026-13-01T12:00:00.000000Z|run-1'), ('2026-03-01|run-1'),
    ('run-1|2026-03-01T12:00:00.000000Z'), ('2026-03-01T12:00:00.000000Z|run-1|more')
) as v (cursor);

select * from finish();
rollback;
