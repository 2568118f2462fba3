begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.append(jsonb_build_object('eventId', pg_temp.id(1)));

create temporary table attempts as
select pg_temp.outcome(c.statement) as outcome
from (values
    ('{}'::jsonb),
    ('{"tenantId": "other", "eventType": "RunFailed"}'),
    ('{"eventId": "00000000-0000-4000-8000-000000000001", "eventType": "RunFailed"}'),
    ('{"planId": "", "eventType": "RunFailed"}')
) as v (changes)
cross join lateral pg_temp.calls(pg_temp.event(v.changes)) as c;

select is((select count(*) from attempts as a where a.outcome = '{}'), 4::bigint, 'four were duplicates');
select is((select count(*) from attempts as a where a.outcome ? 'code'), 12::bigint, 'twelve were refused');
select is((pg_temp.append('{"eventType": "RunPaused"}')).run_seq, 2::bigint, 'the next event is the second');
select is(
    (select r.run_seq from runstore.append_events(
        jsonb_build_array(pg_temp.event('{"eventType": "RunResumed"}'))
    ) as r),
    3::bigint,
    'and the third follows'
);

select * from finish();
rollback;
