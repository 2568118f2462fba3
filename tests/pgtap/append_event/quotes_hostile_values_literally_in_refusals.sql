begin;
\ir ../_helpers/load.sql
select plan(324);

create temporary table hostile (nth int generated always as identity, text text);
insert into hostile (text) values
('|'' or 1=1 --'), ('|"; drop table runstore.run_events; --'), ('|\'), ('|\\''\"'), (E'|a\nb\r\tc'),
('|%s %I %L %1$s %%'), ('|$$'), ('|{"a": 1}'), (E'|\x1b[31m😀');

select is(
    pg_temp.outcome(c.statement) - array['expected', 'index'],
    jsonb_build_object('code', 'RS001', 'field', f.field, 'value', h.text),
    format('%s, %s, %s form', f.field, h.nth, c.form)
)
from hostile as h
cross join unnest(array[
    'runId', 'eventType', 'tenantId', 'projectId', 'environmentId', 'planId', 'planVersion', 'stepId', 'adapterVersion'
]) as f (field)
cross join lateral pg_temp.calls(
    pg_temp.event('{"eventType": "Custom"}' || jsonb_build_object(f.field, h.text))
) as c;

select * from finish();
rollback;
