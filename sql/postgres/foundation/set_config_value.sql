-- Changes one setting of the store. Appends that begin after this commits use the new value. Locks the config row
-- until the end of the transaction; appends only read it and do not wait. Raises RS010 for an unknown key or a bad
-- value.
create function runstore.set_config_value(p_key text, p_value text)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_key runstore.config_keys;
    v_number bigint;
begin
    select k.* into v_key from runstore.config_keys as k where k.key = p_key;

    if not found then
        perform runstore.raise_error(
            'RS010',
            format('key %L is no setting', p_key),
            'Use one of the keys named under "expected".',
            'key', p_key,
            (select string_agg(k.key, ', ' order by k.key) from runstore.config_keys as k)
        );
    end if;

    if p_value ~ '^[0-9]{1,18}$' then
        v_number := p_value::bigint;
    end if;

    if v_number is null or v_number not between v_key.min_value and v_key.max_value then
        perform runstore.raise_error(
            'RS010',
            format('value %L does not fit %s', p_value, p_key),
            'Give a whole number in the range named under "expected".',
            'value', p_value,
            format('a whole number from %s to %s', v_key.min_value, v_key.max_value)
        );
    end if;

    update runstore.config as c
    set
        max_payload_bytes = case p_key when 'max_payload_bytes' then v_number else c.max_payload_bytes end,
        max_signal_bytes = case p_key when 'max_signal_bytes' then v_number else c.max_signal_bytes end,
        max_signals_per_minute = case p_key when 'max_signals_per_minute' then v_number else c.max_signals_per_minute end;
end
$$;

comment on function runstore.set_config_value(text, text) is
'Changes one setting of the store. RS010 for an unknown key or a value out of range.';

revoke all on function runstore.set_config_value(text, text) from public;
grant execute on function runstore.set_config_value(text, text) to runstore_admin;
