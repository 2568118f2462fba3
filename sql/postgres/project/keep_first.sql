-- Keeps the first of two values: the step of the aggregate any_json(). Never called while there is one value per group.
create function runstore.keep_first(p_first jsonb, p_next jsonb)
returns jsonb
language sql immutable strict parallel safe
return p_first;

comment on function runstore.keep_first(jsonb, jsonb) is 'The first of two values.';

revoke all on function runstore.keep_first(jsonb, jsonb) from public;
