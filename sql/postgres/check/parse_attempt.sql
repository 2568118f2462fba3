-- The attempt that the text of a JSON number stands for: a whole number from 1 to 2147483647 as it is, 1 when it is
-- absent, and 0, which event_fault() refuses, for anything else. Never raises. Inlined.
create function runstore.parse_attempt(p_text text)
returns int
language sql immutable parallel safe
return (
    case
        when p_text is null then 1
        when pg_catalog.length(p_text) between 1 and 9 and p_text !~ '[^0-9]' then p_text::int
        when p_text !~ '^[0-9]{1,10}(?:\.0+)?$' then 0
        when pg_catalog.split_part(p_text, '.', 1)::bigint > 2147483647 then 0
        else pg_catalog.split_part(p_text, '.', 1)::int
    end
);

comment on function runstore.parse_attempt(text) is
'The attempt that a JSON number''s text stands for; 1 when absent, 0 when it is none.';

revoke all on function runstore.parse_attempt(text) from public;
