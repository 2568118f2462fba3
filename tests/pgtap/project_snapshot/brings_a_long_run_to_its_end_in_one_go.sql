begin;
\ir ../_helpers/load.sql
select plan(1);

select runstore.append_events((
    select jsonb_agg(
        pg_temp.event(jsonb_build_object('eventType', 'StepCompleted', 'stepId', 'step ' || n)) order by n
    )
    from generate_series(1, 2001) as n
));

select is(
    jsonb_build_array(s.j -> 'lastEventSeq', jsonb_array_length(s.j -> 'steps')), '[2001, 2001]'::jsonb
)
from runstore.project_snapshot('run-1') as s (j);

select * from finish();
rollback;
