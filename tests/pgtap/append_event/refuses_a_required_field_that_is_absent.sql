begin;
\ir ../_helpers/load.sql
select plan(64);

select is(
    pg_temp.outcome(c.statement) - array['expected', 'index'],
    jsonb_build_object('code', 'RS001', 'field', f.field),
    format('%s is %s, %s form', f.field, h.how, c.form)
)
from unnest(array[
    'runId', 'eventType', 'emittedAt', 'tenantId', 'projectId', 'environmentId', 'planId', 'planVersion'
]) as f (field)
cross join (values ('missing'), ('null')) as h (how)
cross join lateral pg_temp.calls(
    case h.how
        when 'null' then pg_temp.event(jsonb_build_object(f.field, null))
        else pg_temp.event() - f.field
    end
) as c;

select * from finish();
rollback;
