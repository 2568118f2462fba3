begin;
\ir ../_helpers/load.sql
select plan(3);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select runstore.set_config_value('max_signals_per_minute', '1');
select pg_temp.append('{"eventType": "SignalAccepted"}');
select pg_temp.stop_clock('2026-03-01 12:00:59+00');

select is(
    pg_temp.detail($$ select pg_temp.append('{"eventType": "SignalRejected"}') $$) -> 'retryAfterMs',
    '1000'::jsonb,
    'refused'
);
select is(
    pg_temp.detail($$ select pg_temp.append('{"eventType": "SignalRejected"}') $$) -> 'retryAfterMs',
    '1000'::jsonb,
    'and again'
);
select pg_temp.stop_clock('2026-03-01 12:01:00+00');
select is(pg_temp.outcome($$ select pg_temp.append('{"eventType": "SignalRejected"}') $$), '{}', 'and then taken');

select * from finish();
rollback;
