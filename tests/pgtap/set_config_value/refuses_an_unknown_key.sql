begin;
\ir ../_helpers/load.sql
select plan(7);

select is(
    pg_temp.outcome(format('select runstore.set_config_value(%L, %L)', v.key, '1')),
    jsonb_strip_nulls(jsonb_build_object(
        'code', 'RS010', 'field', 'key', 'value', v.key,
        'expected',
        'enforce_transitions, lag_alert_ms, lag_resync_ms, max_payload_bytes, max_signal_bytes, '
        'max_signals_per_minute, projection_mode'
    )),
    coalesce(v.key, 'null')
)
from (values
    ('no_such_key'), (''), ('MAX_PAYLOAD_BYTES'), ('max_payload_bytes '), ('any_login_is_bound'),
    ('log_is_followed'), (null)
) as v (key);

select * from finish();
rollback;
