begin;
\ir ../_helpers/load.sql
select plan(10);

create temporary table change as
select k.key, b.value, row_number() over () as nth
from runstore.config_keys as k
cross join lateral (values (k.min_value), (k.max_value)) as b (value)
where k.choices is null;

create temporary table result (key text, value bigint, stored bigint);

do $$
declare
    v_change record;
begin
    for v_change in select c.* from change as c loop
        perform runstore.set_config_value(v_change.key, v_change.value::text);
        insert into result
        select v_change.key, v_change.value, (to_jsonb(c) ->> v_change.key)::bigint from runstore.config as c;
    end loop;
end
$$;

select is(r.stored, r.value, format('%s %s', r.key, r.value)) from result as r;

select * from finish();
rollback;
