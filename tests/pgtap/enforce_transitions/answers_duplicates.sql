begin;
\ir ../_helpers/load.sql
select plan(6);

select runstore.set_config_value('projection_mode', 'inline');
select runstore.set_config_value('enforce_transitions', 'true');
select pg_temp.append(jsonb_build_object('eventId', pg_temp.id(1)));
select pg_temp.append('{"eventType": "RunCompleted"}');
create temporary table before as select pg_temp.contents() as contents;

select is(
    pg_temp.rows_for(session_user, c.statement) #- '{0,persisted_at}',
    jsonb_build_array(jsonb_build_object(
        'event_id', pg_temp.id(1), 'run_seq', 1, 'idempotent', true, 'persisted', false
    )),
    format('%s form', c.form)
)
from pg_temp.calls(pg_temp.event()) as c;
select is(
    pg_temp.outcome(format('select runstore.append_events(%L)', jsonb_build_array(
        pg_temp.event(jsonb_build_object('eventId', pg_temp.id(1))), pg_temp.event('{"eventType": "RunCompleted"}')
    ))),
    '{}',
    'a batch of them'
);
select is(pg_temp.contents(), b.contents, 'and nothing is written') from before as b;

select * from finish();
rollback;
