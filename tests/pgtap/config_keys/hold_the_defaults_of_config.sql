begin;
select plan(3);

select ok((to_jsonb(c) ->> k.key)::bigint between k.min_value and k.max_value, k.key)
from runstore.config_keys as k
cross join runstore.config as c;

select * from finish();
rollback;
