begin;
\ir ../_helpers/load.sql
select plan(160);

create temporary table hostile (nth int generated always as identity, text text);
insert into hostile (text) values
(''' or 1=1 --'), ('"; drop table runstore.run_events; --'), ('\'), ('\\''\"'), (E'a\nb\r\tc'), ('%'),
('%s %I %L %1$s %%'), ('$$'), ('{"a": 1}'), ('null'), ('NULL'), 
('<script>alert(1)</script>'), ('../../etc/passwd'), (E'\x1b[31m'),
(U&'\202Eevil'), ('😀''"%s\n'), ('{{x}} ${y} #{z}'), ('E''\x00'''), (' '), ('true');

create temporary table call as
select h.nth, h.text, c.form, pg_temp.outcome(c.statement) as outcome
from hostile as h
cross join unnest(array['named', 'positional', 'json', 'batch']) as f (form)
cross join lateral pg_temp.calls(jsonb_build_object(
    'runId', f.form || h.nth || h.text, 'eventType', h.text, 'emittedAt', '2026-02-16T09:30:00Z', 'tenantId', h.text,
    'projectId', h.text, 'environmentId', h.text, 'planId', h.text, 'planVersion', h.text, 'stepId', h.text,
    'adapterVersion', h.text, 'payload', jsonb_build_object(h.text, h.text),
    'engineRunRef', jsonb_build_object(h.text, h.text)
)) as c
where c.form = f.form;

select is(c.outcome, '{}', format('%s, %s form: taken', c.nth, c.form)) from call as c;

select is(
    jsonb_build_array(
        e.event_type, e.tenant_id, e.project_id, e.environment_id, e.plan_id, e.plan_version, e.step_id,
        e.adapter_version, e.payload, e.engine_run_ref
    ),
    jsonb_build_array(
        c.text, c.text, c.text, c.text, c.text, c.text, c.text, c.text, jsonb_build_object(c.text, c.text),
        jsonb_build_object(c.text, c.text)
    ),
    format('%s, %s form: as it was', c.nth, c.form)
)
from call as c
left join lateral runstore.fetch_events(c.form || c.nth || c.text) as e on true;

select * from finish();
rollback;
