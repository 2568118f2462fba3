-- The one way to raise an error: SQLSTATE, a message that opens with the error's name, a HINT, and DETAIL as a JSON
-- object of the keys that apply. p_value is cut to 100 characters; callers leave it out for payload content. Never
-- returns. Reads error_codes, locks nothing.
create function runstore.raise_error(
    p_code text,
    p_message text,
    p_hint text,
    p_field text default null,
    p_value text default null,
    p_expected text default null,
    p_index int default null,
    p_retry_after_ms bigint default null
)
returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
    raise exception using
        errcode = p_code,
        message = concat((select c.name || ': ' from runstore.error_codes as c where c.code = p_code), p_message),
        detail = jsonb_strip_nulls(jsonb_build_object(
            'code', p_code,
            'field', p_field,
            'value', left(p_value, 100),
            'expected', p_expected,
            'index', p_index,
            'retryAfterMs', p_retry_after_ms
        ))::text,
        hint = p_hint;
end
$$;

comment on function runstore.raise_error(text, text, text, text, text, text, int, bigint) is
'Raises a runstore error: SQLSTATE, message, HINT and DETAIL as JSON.';

revoke all on function runstore.raise_error(text, text, text, text, text, text, int, bigint) from public;
