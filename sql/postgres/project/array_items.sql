-- The elements of a JSON array as text, without the brackets, so that arrays can be strung together; null when there
-- are none, or when it is no array. Inlined.
create function runstore.array_items(p_array jsonb)
returns text
language sql immutable parallel safe
return case
    when pg_catalog.jsonb_typeof(p_array) = 'array' and p_array <> '[]'
        then pg_catalog.left(pg_catalog.substr(p_array::text, 2), -1)
end;

comment on function runstore.array_items(jsonb) is
'The elements of a JSON array as text without brackets; null when there are none.';

revoke all on function runstore.array_items(jsonb) from public;
