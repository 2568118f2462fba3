-- The instant that an RFC 3339 text names, null for any other text: upper-case T, Z or an offset, at most six
-- fraction digits, hour up to 23, second up to 59, a day that exists, a year from 0001. Never raises and depends on
-- no setting of the session. Inlined into the caller's expression.
create function runstore.parse_instant(p_text text)
returns timestamptz
language sql stable parallel safe
return (
    case
        when pg_catalog.translate(pg_catalog.left(p_text, 19), '123456789', '000000000') <> '0000-00-00T00:00:00'
            then null
        when pg_catalog.substr(p_text, 20) !~ '^(?:\.[0-9]{1,6})?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$'
            then null
        when pg_catalog.left(p_text, 4) = '0000' then null
        when pg_catalog.substr(p_text, 6, 2)::int not between 1 and 12 then null
        when pg_catalog.substr(p_text, 9, 2)::int not between 1 and 31 then null
        when
            pg_catalog.substr(p_text, 9, 2)::int > 28
            and pg_catalog.substr(p_text, 9, 2)::int > extract(
                day from pg_catalog.make_date(
                    pg_catalog.left(p_text, 4)::int, pg_catalog.substr(p_text, 6, 2)::int, 1
                ) + interval '1 month -1 day'
            )
            then null
        when pg_catalog.substr(p_text, 12, 2)::int > 23 then null
        when pg_catalog.substr(p_text, 15, 2)::int > 59 then null
        when pg_catalog.substr(p_text, 18, 2)::int > 59 then null
        when pg_catalog.right(p_text, 1) = 'Z' then (pg_catalog.left(p_text, -1) || '+00')::timestamptz
        when pg_catalog.substr(p_text, pg_catalog.length(p_text) - 5, 1) = '+'
            then (pg_catalog.left(p_text, -6) || '+00')::timestamptz - pg_catalog.right(p_text, 5)::interval
        else (pg_catalog.left(p_text, -6) || '+00')::timestamptz + pg_catalog.right(p_text, 5)::interval
    end
);

comment on function runstore.parse_instant(text) is
'The instant that an RFC 3339 text names, null for any other text.';

revoke all on function runstore.parse_instant(text) from public;
