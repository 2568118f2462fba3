begin;
\ir ../_helpers/load.sql
select plan(3);

select is(
    pg_temp.outcome(format('select runstore.set_config_value(%L, %L)', k.key, '12345')),
    '{}',
    k.key
)
from unnest(array['max_payload_bytes', 'max_signal_bytes', 'max_signals_per_minute']) as k (key)
where k.key = 'max_signal_bytes';

select is(c.max_signal_bytes, 12345, 'the setting') from runstore.config as c;
select is(
    to_jsonb(c) - 'max_signal_bytes',
    '{
        "singleton": true, "max_payload_bytes": 262144, "max_signals_per_minute": 60, "any_login_is_bound": false,
        "projection_mode": "async", "enforce_transitions": false, "lag_alert_ms": 5000, "lag_resync_ms": 10000,
        "log_is_followed": true
    }'::jsonb,
    'and no other'
)
from runstore.config as c;

select * from finish();
rollback;
