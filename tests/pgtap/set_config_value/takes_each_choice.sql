begin;
\ir ../_helpers/load.sql
select plan(4);

create temporary table change (place int, key text, value text);
insert into change values
(1, 'projection_mode', 'inline'), (2, 'enforce_transitions', 'true'), (3, 'enforce_transitions', 'false'),
(4, 'projection_mode', 'async');

create temporary table result (key text, value text, stored text);

do $$
declare
    v_change record;
begin
    for v_change in select c.* from change as c order by c.place loop
        perform runstore.set_config_value(v_change.key, v_change.value);
        insert into result
        select v_change.key, v_change.value, to_jsonb(c) ->> v_change.key from runstore.config as c;
    end loop;
end
$$;

select is(r.stored, r.value, format('%s %s', r.key, r.value)) from result as r;

select * from finish();
rollback;
