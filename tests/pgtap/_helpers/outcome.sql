-- What a statement ends with, for the given login: {} when it succeeds, and it stays done; the DETAIL of a refusal that
-- keeps the contract for errors; otherwise everything about the error, with what is wrong about it under "problems".
create function pg_temp.outcome(p_statement text, p_login name default null)
returns jsonb
language plpgsql volatile
as $$
declare
    v_names constant jsonb := '{
        "RS001": "INVALID_EVENT", "RS002": "RUN_IDENTITY_MISMATCH", "RS003": "EVENT_ID_REUSED",
        "RS004": "INVALID_TRANSITION", "RS005": "PAYLOAD_TOO_LARGE", "RS006": "SIGNAL_RATE_EXCEEDED",
        "RS009": "APPEND_ONLY", "RS010": "INVALID_ARGUMENT", "RS012": "RUN_NOT_FOUND", "RS013": "TENANT_FORBIDDEN"
    }';
    v_error jsonb := pg_temp.error(p_statement, p_login);
    v_detail jsonb;
    v_problems text[];
begin
    if v_error is null then
        return '{}';
    end if;

    begin
        v_detail := v_error ->> 'detail';
    exception
        when others then
            return v_error || '{"problems": ["the detail is no JSON"]}';
    end;

    v_problems := array_remove(array[
        case when not v_names ? (v_error ->> 'sqlstate') then 'not an error of runstore' end,
        case
            when not starts_with(v_error ->> 'message', (v_names ->> (v_error ->> 'sqlstate')) || ': ')
                then 'the message does not open with the name'
        end,
        case
            when strpos(v_error ->> 'message', v_detail ->> 'field') = 0 then 'the message does not name the field'
        end,
        case
            when strpos(v_error ->> 'message', v_detail ->> 'value') = 0 then 'the message does not show the value'
        end,
        case when v_error ->> 'hint' !~ '^[A-Z].{15,}\.$' then 'the hint is no sentence' end,
        case
            when jsonb_typeof(v_detail) is distinct from 'object' then 'the detail is no object'
            when v_detail ->> 'code' is distinct from v_error ->> 'sqlstate' then 'code is not the SQLSTATE'
            when v_detail - array['code', 'field', 'value', 'expected', 'index', 'retryAfterMs'] <> '{}'
                then 'the detail has other keys'
            when v_detail ? 'field' <> v_detail ? 'expected' then 'field and expected do not go together'
            when v_detail @? '$.keyvalue() ? (
                (@.key != "index" && @.key != "retryAfterMs" && @.value.type() != "string")
                || ((@.key == "index" || @.key == "retryAfterMs") && @.value.type() != "number")
                || (@.key == "expected" && @.value == "")
            )' then 'the detail has a value of the wrong type'
        end
    ], null);

    if v_problems <> '{}' then
        return v_error || jsonb_build_object('problems', v_problems);
    end if;

    return v_detail;
end
$$;

-- The error that a statement ends with, for the given login; null when it succeeds, and then it stays done.
create function pg_temp.error(p_statement text, p_login name default null)
returns jsonb
language plpgsql volatile
as $$
declare
    v_sqlstate text;
    v_message text;
    v_detail text;
    v_hint text;
begin
    if p_login is not null then
        execute format('set session authorization %I', p_login);
    end if;

    execute p_statement;
    execute 'reset session authorization';
    return null;
exception
    when others then
        get stacked diagnostics
            v_sqlstate = returned_sqlstate,
            v_message = message_text,
            v_detail = pg_exception_detail,
            v_hint = pg_exception_hint;
        return jsonb_build_object('sqlstate', v_sqlstate, 'message', v_message, 'detail', v_detail, 'hint', v_hint);
end
$$;

-- The DETAIL of the error that a statement ends with, whatever else is wrong with it; null when it succeeds.
create function pg_temp.detail(p_statement text, p_login name default null)
returns jsonb
language sql volatile
as $$ select (pg_temp.error(p_statement, p_login) ->> 'detail')::jsonb $$;

-- The rows of a query as a JSON array, for the given login.
create function pg_temp.rows_for(p_login name, p_query text)
returns jsonb
language plpgsql volatile
as $$
declare
    v_rows jsonb;
begin
    execute format('set session authorization %I', p_login);
    execute format('select coalesce(jsonb_agg(to_jsonb(q)), ''[]'') from (%s) as q', p_query) into v_rows;
    execute 'reset session authorization';
    return v_rows;
end
$$;
