begin;
\ir ../_helpers/load.sql
select plan(12);

create temporary table call as
select row_number() over () as nth, v.attempt, v.stored, c.form, c.statement
from (values
    ('1'::jsonb, 1), ('1.0', 1), ('2.000', 2), ('1e2', 100), ('2147483647', 2147483647), ('2147483647.0', 2147483647)
) as v (attempt, stored)
cross join unnest(array['json', 'batch']) as f (form)
cross join lateral pg_temp.calls(pg_temp.event(jsonb_build_object(
    'runId', f.form || v.attempt, 'engineAttemptId', v.attempt, 'logicalAttemptId', v.attempt
))) as c
where c.form = f.form;

do $$
declare
    v_statement text;
begin
    for v_statement in select c.statement from call as c loop
        execute v_statement;
    end loop;
end
$$;

select is(
    jsonb_build_array(e.engine_attempt_id, e.logical_attempt_id),
    jsonb_build_array(c.stored, c.stored),
    format('%s, %s form', c.attempt, c.form)
)
from call as c
inner join runstore.run_event_records as e on e.run_id = c.form || c.attempt;

select * from finish();
rollback;
