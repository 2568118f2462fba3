begin;
\ir ../_helpers/load.sql
select plan(36);

select pg_temp.make_login('tenant_login', 'runstore_writer');
select runstore.bind_login('tenant_login', 'tenant-1');

create temporary table hostile (nth int generated always as identity, text text);
insert into hostile (text) values
(''' or 1=1 --'), ('"; drop table runstore.run_events; --'), ('\'), ('\\''\"'), (E'a\nb\r\tc'),
('%s %I %L %1$s %%'), ('$$'), ('{"a": 1}'), (E'\x1b[31m😀');
select pg_temp.append(jsonb_build_object('runId', h.text)) from hostile as h;

select is(
    pg_temp.outcome(c.statement) - array['expected', 'index'],
    jsonb_build_object('code', 'RS002', 'field', 'runId', 'value', h.text),
    format('RS002, %s, %s form', h.nth, c.form)
)
from hostile as h
cross join lateral pg_temp.calls(
    pg_temp.event(jsonb_build_object('runId', h.text, 'projectId', 'other'))
) as c
where c.form in ('named', 'batch');
select is(
    pg_temp.outcome(c.statement, 'tenant_login') - array['expected', 'index'],
    jsonb_build_object('code', 'RS013', 'field', 'tenantId', 'value', h.text),
    format('RS013, %s, %s form', h.nth, c.form)
)
from hostile as h
cross join lateral pg_temp.calls(pg_temp.event(jsonb_build_object('tenantId', h.text))) as c
where c.form in ('named', 'batch');

select * from finish();
rollback;
