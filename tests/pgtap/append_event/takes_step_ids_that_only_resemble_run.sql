begin;
\ir ../_helpers/load.sql
select plan(4);

select is(
    pg_temp.outcome(format(
        'select pg_temp.append(%L)', jsonb_build_object('eventType', 'StepStarted', 'stepId', s.step_id)
    )),
    '{}',
    format('"%s"', s.step_id)
)
from (values ('run'), ('Run'), ('RUN '), ('RUN1')) as s (step_id);

select * from finish();
rollback;
