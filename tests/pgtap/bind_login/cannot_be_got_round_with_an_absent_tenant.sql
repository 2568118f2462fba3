-- The run is a foreign one, and one more fault keeps the number of bars what it is for a good event.
begin;
\ir ../_helpers/load.sql
select plan(25);

select pg_temp.make_login('tenant_login', 'runstore_writer');
select runstore.bind_login('tenant_login', 'tenant-1');
select pg_temp.append('{"tenantId": "tenant-2"}');

create temporary table attempt as
select c.form, v.changes, pg_temp.outcome(c.statement, 'tenant_login') as outcome
from (values
    ('{"eventType": "RunFailed"}'::jsonb),
    ('{"eventType": "Run|Failed"}'),
    ('{"eventType": "RunFailed", "planId": "a|b"}')
) as v (changes)
cross join lateral pg_temp.calls(pg_temp.event('{"tenantId": null}' || v.changes)) as c
union all
select c.form, v.changes, pg_temp.outcome(c.statement, 'tenant_login')
from (values
    ('{"projectId": null, "eventType": "Run|Failed"}'::jsonb),
    ('{"environmentId": null, "eventType": "Run|Failed"}'),
    ('{"tenantId": "tenant-1"}')
) as v (changes)
cross join lateral pg_temp.calls(pg_temp.event('{"eventType": "RunFailed"}' || v.changes)) as c;

select isnt(a.outcome ->> 'code', null, format('%s, %s form', a.changes, a.form)) from attempt as a;
select is((select count(*) from runstore.fetch_events('run-1')), 1::bigint, 'nothing was written');

select * from finish();
rollback;
