begin;
\ir ../_helpers/load.sql
select plan(4);

select is(
    pg_temp.outcome(c.statement) - array['expected'],
    jsonb_build_object('code', 'RS001', 'field', 'emittedAt', 'value', v.instant),
    format('%s, %s form', v.instant, c.form)
)
from (values ('infinity'), ('-infinity')) as v (instant)
cross join lateral pg_temp.calls(pg_temp.event(jsonb_build_object('emittedAt', v.instant))) as c
where c.form in ('named', 'positional');

select * from finish();
rollback;
