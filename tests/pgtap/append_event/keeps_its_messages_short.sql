begin;
\ir ../_helpers/load.sql
select plan(10);

select pg_temp.append(jsonb_build_object('runId', repeat('r', 255)));

select cmp_ok(
    length(pg_temp.error(c.statement) ->> 'message'), '<', 400, format('%s, %s form', left(v.changes::text, 20), c.form)
)
from (values
    (jsonb_build_object('planId', repeat('é', 100000))),
    (jsonb_build_object('idempotencyKey', repeat('é', 100000))),
    (jsonb_build_object(repeat('k', 100000), 1)),
    (jsonb_build_object('emittedAt', repeat('x', 100000))),
    (jsonb_build_object('runId', repeat('r', 255), 'projectId', 'other'))
) as v (changes)
cross join lateral pg_temp.calls(pg_temp.event(v.changes)) as c
where c.form in ('json', 'batch');

select * from finish();
rollback;
