begin;
\ir ../_helpers/load.sql
select plan(12);

select runstore.set_config_value('max_signals_per_minute', '1');

select is(pg_temp.outcome(replace(c.statement, 'run-1', c.form)), '{}', format('the first, %s form', c.form))
from pg_temp.calls(pg_temp.event('{"eventType": "SignalAccepted"}')) as c;
select is(
    pg_temp.detail(replace(c.statement, 'run-1', c.form)) -> 'expected',
    '"at most 1 signals per run in any 60 seconds"'::jsonb,
    format('the second, %s form', c.form)
)
from pg_temp.calls(pg_temp.event('{"eventType": "SignalRejected"}')) as c;

select runstore.set_config_value('max_signals_per_minute', '2');
select is(
    pg_temp.outcome(replace(c.statement, 'run-1', c.form)), '{}', format('the second at two, %s form', c.form)
)
from pg_temp.calls(pg_temp.event('{"eventType": "SignalRejected"}')) as c;

select * from finish();
rollback;
