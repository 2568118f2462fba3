begin;
\ir ../_helpers/load.sql
select plan(4);

create temporary table appended as
select c.form, pg_temp.outcome(c.statement)
from (values ('named'), ('positional'), ('json'), ('batch')) as f (form)
cross join lateral pg_temp.calls(pg_temp.event(jsonb_build_object(
    'runId', 'läufer-' || f.form, 'stepId', 'schritt-ß', 'logicalAttemptId', 3, 'eventType', 'StepStarted',
    'planId', 'plan-é', 'planVersion', '2'
))) as c
where c.form = f.form;

select is(
    (select e.idempotency_key from runstore.fetch_events('läufer-' || a.form) as e),
    runstore.idempotency_key('läufer-' || a.form, 'schritt-ß', 3, 'StepStarted', 'plan-é', '2'),
    a.form
)
from appended as a;

select * from finish();
rollback;
