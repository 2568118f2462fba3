begin;
\ir ../_helpers/load.sql
select plan(1);

select pg_temp.append(jsonb_build_object('idempotencyKey', pg_temp.key(1)));
create temporary table before as select pg_temp.contents() - 'alerts' as contents;

create temporary table again as
select pg_temp.outcome(c.statement)
from pg_temp.calls(
    pg_temp.event(jsonb_build_object('idempotencyKey', pg_temp.key(1), 'payload', '{"a": 1}'::jsonb))
) as c;

select is(pg_temp.contents() - 'alerts', (select b.contents from before as b));

select * from finish();
rollback;
