-- The UUID that a text of 8-4-4-4-12 hex digits names, null for any other text. Never raises. Inlined.
create function runstore.parse_uuid(p_text text)
returns uuid
language sql immutable parallel safe
return (
    case
        when
            p_text like '________-____-____-____-____________'
            and p_text !~ '[^0-9a-fA-F-]'
            and pg_catalog.length(pg_catalog.replace(p_text, '-', '')) = 32
            then p_text::uuid
    end
);

comment on function runstore.parse_uuid(text) is
'The UUID that a text of 8-4-4-4-12 hex digits names, null for any other text.';

revoke all on function runstore.parse_uuid(text) from public;
