-- Takes back 0012.projection.
-- Changes one setting of the store. Appends that begin after this commits use the new value. Locks the config row
-- until the end of the transaction; appends only read it and do not wait. Raises RS010 for an unknown key or a bad
-- value.
create or replace function runstore.set_config_value(p_key text, p_value text)
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

drop function runstore.retry_delay(text, int);
drop table runstore.due_runs;
drop table runstore.consumers;
drop table runstore.run_steps;
drop table runstore.run_states;

alter table runstore.run_counters drop column due_from_seq;

delete from runstore.config_keys
where choices is not null or key in ('lag_alert_ms', 'lag_resync_ms');

alter table runstore.config_keys
drop constraint config_keys_number_or_choice,
drop column choices,
alter column min_value set not null,
alter column max_value set not null;

comment on table runstore.config_keys is 'The settings that set_config_value() accepts, and their ranges.';
comment on column runstore.config_keys.min_value is 'Least accepted value.';
comment on column runstore.config_keys.max_value is 'Greatest accepted value.';

alter table runstore.config
drop constraint config_enforcing_is_inline,
drop column log_is_followed,
drop column lag_resync_ms,
drop column lag_alert_ms,
drop column enforce_transitions,
drop column projection_mode;
