begin;
\ir ../_helpers/load.sql
select plan(1);

select runstore.set_config_value('projection_mode', 'inline');
select runstore.set_config_value('enforce_transitions', 'true');

select is(
    pg_temp.outcome(format('select runstore.append_events(%L)', jsonb_build_array(
        pg_temp.event(jsonb_build_object('runId', 'good', 'eventId', pg_temp.id(1))),
        pg_temp.event(jsonb_build_object('runId', 'bad', 'eventId', pg_temp.id(1), 'eventType', 'RunPaused'))
    ))) -> 'index',
    '1'::jsonb
);

select * from finish();
rollback;
