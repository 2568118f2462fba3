begin;
select plan(7);

select ok(
    case
        when k.choices is null then (to_jsonb(c) ->> k.key)::bigint between k.min_value and k.max_value
        else to_jsonb(c) ->> k.key = any(k.choices)
    end,
    k.key
)
from runstore.config_keys as k
cross join runstore.config as c;

select * from finish();
rollback;
