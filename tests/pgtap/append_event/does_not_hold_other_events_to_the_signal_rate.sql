begin;
\ir ../_helpers/load.sql
select plan(8);

select runstore.set_config_value('max_signals_per_minute', '1');
select pg_temp.append('{"eventType": "SignalAccepted"}');

select is(
    pg_temp.outcome(replace(c.statement, 'the plan', c.form)), '{}', format('%s, %s form', t.event_type, c.form)
)
from unnest(array['RunStarted', 'SignalForwarded']) as t (event_type)
cross join lateral pg_temp.calls(
    pg_temp.event(jsonb_build_object('eventType', t.event_type, 'planId', 'the plan'))
) as c;

select * from finish();
rollback;
