begin;
\ir ../_helpers/load.sql
select plan(2);

select is(
    pg_temp.outcome(format('select runstore.append_events(%L)', jsonb_build_array(
        pg_temp.event(jsonb_build_object('eventId', pg_temp.id(1))),
        pg_temp.event(jsonb_build_object('eventId', pg_temp.id(1), 'runId', 'run-2')),
        pg_temp.event(jsonb_build_object('eventId', pg_temp.id(1), 'eventType', 'RunFailed'))
    ))) - 'expected',
    jsonb_build_object('code', 'RS003', 'field', 'eventId', 'value', pg_temp.id(1), 'index', 2),
    'another key'
);
select is(
    pg_temp.outcome(format('select runstore.append_events(%L)', jsonb_build_array(
        pg_temp.event(jsonb_build_object('eventId', pg_temp.id(1))),
        pg_temp.event(jsonb_build_object('eventId', pg_temp.id(1)))
    ))),
    '{}',
    'the same key is a duplicate'
);

select * from finish();
rollback;
