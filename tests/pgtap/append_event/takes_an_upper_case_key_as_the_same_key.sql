begin;
\ir ../_helpers/load.sql
select plan(5);

select pg_temp.append(jsonb_build_object('idempotencyKey', upper(pg_temp.key(1))));

select is(
    (select e.idempotency_key from runstore.fetch_events('run-1') as e),
    pg_temp.key(1),
    'it comes back in lower case'
);

create temporary table again as
select c.form, pg_temp.outcome(c.statement)
from unnest(array[pg_temp.key(1), upper(pg_temp.key(1)), initcap(pg_temp.key(1))]) as k (key)
cross join lateral pg_temp.calls(pg_temp.event(jsonb_build_object('idempotencyKey', k.key))) as c;

select is(
    (select count(*) from runstore.fetch_events('run-1')),
    1::bigint,
    'in either case it is a duplicate'
);

select is(a.idempotent, true, format('%s answer says so', k.key))
from unnest(array[pg_temp.key(1), upper(pg_temp.key(1)), initcap(pg_temp.key(1))]) as k (key)
cross join lateral pg_temp.append(jsonb_build_object('idempotencyKey', k.key)) as a;

select * from finish();
rollback;
