-- Changes one setting of the store. Calls that begin after this commits use the new value. Locks the config row, and
-- for projection_mode the projector's row in consumers, until the end of the transaction; appends only read them and
-- do not wait. Raises RS010 for an unknown key, a bad value, or two settings that do not go together.
create function runstore.set_config_value(p_key text, p_value text)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_key runstore.config_keys;
    v_number int;
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

    if v_key.choices is null and p_value ~ '^[0-9]{1,9}$' then
        v_number := p_value::int;
    end if;

    if (p_value = any(v_key.choices) or v_number between v_key.min_value and v_key.max_value) is not true then
        perform runstore.raise_error(
            'RS010',
            format('value %L does not fit %s', p_value, p_key),
            'Give a value of the kind named under "expected".',
            'value', p_value,
            coalesce(
                array_to_string(v_key.choices, ' or '),
                format('a whole number from %s to %s', v_key.min_value, v_key.max_value)
            )
        );
    end if;

    update runstore.config as c
    set
        max_payload_bytes = case p_key when 'max_payload_bytes' then v_number else c.max_payload_bytes end,
        max_signal_bytes = case p_key when 'max_signal_bytes' then v_number else c.max_signal_bytes end,
        max_signals_per_minute = case p_key
            when 'max_signals_per_minute' then v_number else c.max_signals_per_minute
        end,
        projection_mode = case p_key when 'projection_mode' then p_value else c.projection_mode end,
        enforce_transitions = case p_key
            when 'enforce_transitions' then p_value = 'true' else c.enforce_transitions
        end,
        lag_alert_ms = case p_key when 'lag_alert_ms' then v_number else c.lag_alert_ms end,
        lag_resync_ms = case p_key when 'lag_resync_ms' then v_number else c.lag_resync_ms end;

    if p_key = 'projection_mode' then
        update runstore.consumers as u set is_active = p_value = 'async' where u.name = 'projector';

        update runstore.config
        set log_is_followed = exists (select from runstore.consumers as u where u.is_active);
    end if;
exception
    when check_violation then
        perform runstore.raise_error(
            'RS010',
            format(
                'value %L does not fit %s: transitions can be enforced only while projection is inline', p_value, p_key
            ),
            'Set projection_mode to inline before enforce_transitions to true, and take them back in the other order.',
            'value', p_value, 'enforce_transitions false, or projection_mode inline'
        );
end
$$;

comment on function runstore.set_config_value(text, text) is
'Changes one setting of the store. RS010 for an unknown key or a value that does not fit.';

revoke all on function runstore.set_config_value(text, text) from public;
grant execute on function runstore.set_config_value(text, text) to runstore_admin;
