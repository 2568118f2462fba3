begin;
\ir ../_helpers/load.sql
select plan(5);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');

create temporary table accepted as
select (pg_temp.append(jsonb_build_object(
    'eventType', case when n % 2 = 0 then 'SignalAccepted' else 'SignalRejected' end, 'logicalAttemptId', n
))).persisted
from generate_series(1, 60) as n;

select is((select count(*) from accepted as a where a.persisted), 60::bigint, 'sixty of both types');
select is(
    pg_temp.outcome(c.statement) - 'index',
    '{
        "code": "RS006", "field": "runId", "value": "run-1",
        "expected": "at most 60 signals per run in any 60 seconds", "retryAfterMs": 60000
    }'::jsonb,
    format('the next, %s form', c.form)
)
from pg_temp.calls(pg_temp.event('{"eventType": "SignalAccepted", "logicalAttemptId": 61}')) as c;

select * from finish();
rollback;
