begin;
\ir ../_helpers/load.sql
select plan(80);

select is(
    pg_temp.outcome(format('select runstore.set_config_value(%L, %L)', k.key, v.value)) - 'expected',
    jsonb_strip_nulls(jsonb_build_object('code', 'RS010', 'field', 'value', 'value', v.value)),
    format('%s %s', k.key, coalesce(v.value, 'null'))
)
from unnest(array[
    'max_payload_bytes', 'max_signal_bytes', 'max_signals_per_minute', 'lag_alert_ms', 'lag_resync_ms'
]) as k (key)
cross join (values
    (null), (''), ('many'), ('0'), ('-1'), ('1.5'), ('100.0'), (' 100'), ('100 '), (E'100\n'), ('+100'), ('1e3'),
    ('0x10'), ('2147483648'), ('99999999999999999999999999'), ('１００')
) as v (value);

select * from finish();
rollback;
