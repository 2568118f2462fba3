-- Whether a text can be an identifier: 1 to 255 characters without '|', the separator of the idempotency key. Null
-- gives null. Inlined into the caller's expression: costs no call.
create function runstore.is_identifier(p_text text)
returns boolean
language sql immutable parallel safe
return p_text <> '' and pg_catalog.length(p_text) <= 255 and pg_catalog.strpos(p_text, '|') = 0;

comment on function runstore.is_identifier(text) is
'True for 1 to 255 characters without "|", null for null.';

revoke all on function runstore.is_identifier(text) from public;
