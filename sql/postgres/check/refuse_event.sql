-- Refuses an event for the rule it breaks: builds message, DETAIL and HINT from the rule's row and the event's JSON
-- form, which is what the producer sent or, for the form with named arguments, made from those. p_index is the
-- event's place in its batch. Never returns. Reads event_rules and config, locks nothing.
create function runstore.refuse_event(p_rule text, p_event jsonb, p_index int default null)
returns void
language plpgsql stable
as $$
declare
    v_rule_name text := p_rule;
    v_unknown_key text;
    v_rule runstore.event_rules;
    v_field text;
    v_value text;
    v_expected text;
begin
    if p_rule = 'unknownKey' then
        select min(k.key) into v_unknown_key
        from pg_catalog.jsonb_object_keys(p_event - runstore.event_keys()) as k (key);

        select r.rule into v_rule_name
        from runstore.event_rules as r
        where r.rule in (p_rule, 'authority.' || v_unknown_key)
        order by r.rule = p_rule
        limit 1;
    elsif p_rule = 'wrongType' then
        select f.field into v_rule_name
        from runstore.event_fields as f
        where pg_catalog.jsonb_typeof(p_event -> f.field) not in (f.json_type, 'null')
        order by f.field
        limit 1;
    end if;

    select r.* into strict v_rule from runstore.event_rules as r where r.rule = v_rule_name;

    v_field := pg_catalog.left(coalesce(v_rule.field, v_unknown_key), 100);

    if v_rule.shows_value then
        v_value := pg_catalog.left(p_event ->> v_field, 100);
    end if;

    select pg_catalog.replace(
        v_rule.expected,
        '%s',
        (case p_rule when 'signalSize' then c.max_signal_bytes else c.max_payload_bytes end)::text
    )
    into v_expected
    from runstore.config as c;

    perform runstore.raise_error(
        v_rule.code,
        pg_catalog.concat(
            'event ' || p_index::text || ' of the batch: ',
            v_field,
            ' "' || v_value || '"',
            case when v_value is null and v_rule.shows_value then ' is missing' else ' is refused' end,
            ': expected ',
            v_expected
        ),
        v_rule.hint,
        v_field,
        v_value,
        v_expected,
        p_index
    );
end
$$;

comment on function runstore.refuse_event(text, jsonb, int) is
'Raises RS001 or RS005 for the rule that an event breaks.';

revoke all on function runstore.refuse_event(text, jsonb, int) from public;
