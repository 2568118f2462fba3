begin;
select plan(1);

select is(
    to_jsonb(c) - array['singleton', 'any_login_is_bound', 'log_is_followed'],
    '{
        "max_payload_bytes": 262144, "max_signal_bytes": 65536, "max_signals_per_minute": 60,
        "projection_mode": "async", "enforce_transitions": false, "lag_alert_ms": 5000, "lag_resync_ms": 10000
    }'::jsonb
)
from runstore.config as c;

select * from finish();
rollback;
