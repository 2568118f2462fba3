begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append(jsonb_build_object('eventType', 'SignalAccepted', 'logicalAttemptId', n))
from generate_series(1, 2) as n;
select pg_temp.stop_clock('2026-03-01 12:00:30+00');
select pg_temp.append(jsonb_build_object('eventType', 'SignalAccepted', 'logicalAttemptId', n))
from generate_series(3, 60) as n;
select pg_temp.stop_clock('2026-03-01 12:01:00+00');

select is(
    pg_temp.outcome($$ select pg_temp.append('{"eventType": "SignalAccepted", "logicalAttemptId": 61}') $$), '{}',
    'the first two are a minute old: one more'
);
select is(
    pg_temp.outcome($$ select pg_temp.append('{"eventType": "SignalAccepted", "logicalAttemptId": 62}') $$), '{}',
    'and one more'
);
select is(
    pg_temp.detail($$ select pg_temp.append('{"eventType": "SignalAccepted", "logicalAttemptId": 63}') $$)
    -> 'retryAfterMs',
    '30000'::jsonb,
    'and no third'
);
select pg_temp.stop_clock('2026-03-01 12:01:30+00');
select is(
    pg_temp.outcome($$ select pg_temp.append('{"eventType": "SignalAccepted", "logicalAttemptId": 63}') $$), '{}',
    'until it has waited as told'
);

select * from finish();
rollback;
