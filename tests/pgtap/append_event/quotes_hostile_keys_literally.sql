begin;
\ir ../_helpers/load.sql
select plan(22);

select is(
    pg_temp.outcome(c.statement) - array['expected', 'index'],
    jsonb_build_object('code', 'RS001', 'field', k.key),
    format('%s, %s form', k.key, c.form)
)
from (values
    (''' or 1=1 --'), ('"; drop table runstore.run_events; --'), ('\'), ('\\''\"'), (E'a\nb\r\tc'),
    ('%s %I %L %1$s %%'), ('$$'), ('{"a": 1}'), (E'\x1b[31m😀'), ('authority.runSeq'), ('%')
) as k (key)
cross join lateral pg_temp.calls(pg_temp.event(jsonb_build_object(k.key, 1))) as c
where c.form in ('json', 'batch');

select * from finish();
rollback;
