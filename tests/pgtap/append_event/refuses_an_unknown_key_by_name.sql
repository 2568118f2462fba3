begin;
\ir ../_helpers/load.sql
select plan(18);

select is(
    pg_temp.outcome(c.statement) - array['expected', 'index'],
    jsonb_build_object('code', 'RS001', 'field', k.key),
    format('"%s", %s form', k.key, c.form)
)
from unnest(array[
    'extra', 'run_id', 'runid', 'RunId', ' runId', 'p_run_id', 'artifactRefs', 'unknownKey', 'ключ'
]) as k (key)
cross join lateral pg_temp.calls(pg_temp.event(jsonb_build_object(k.key, 'secret'))) as c
where c.form in ('json', 'batch');

select * from finish();
rollback;
