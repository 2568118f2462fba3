begin;
\ir ../_helpers/load.sql
select plan(13);

do $$
begin
    for n in 1..8 loop
        perform pg_temp.stop_clock('2026-03-01 12:00:00+00'::timestamptz + n * interval '1 second');
        perform pg_temp.append(jsonb_build_object(
            'runId', 'run ' || n, 'tenantId', case when n % 2 = 0 then 'even' else 'odd' end,
            'eventType', (array[
                'RunStarted', 'RunQueued', 'RunApproved', 'RunCompleted', 'RunFailed', 'RunCancelled', 'RunStarted',
                'RunStarted'
            ])[n]
        ));
    end loop;
end
$$;
select pg_temp.append('{"runId": "run 7", "tenantId": "odd", "eventType": "RunPaused"}');
select runstore.project_pending();

select is(
    array(select r.run_id from runstore.list_runs(v.tenant_id, v.status) as r),
    v.run_ids,
    format('tenant %s, status %s', coalesce(v.tenant_id, 'null'), coalesce(v.status, 'null'))
)
from (values
    (null, null, '{"run 8","run 7","run 6","run 5","run 4","run 3","run 2","run 1"}'::text[]),
    (null, 'PENDING', '{"run 2"}'),
    (null, 'APPROVED', '{"run 3"}'),
    (null, 'RUNNING', '{"run 8","run 1"}'),
    (null, 'PAUSED', '{"run 7"}'),
    (null, 'COMPLETED', '{"run 4"}'),
    (null, 'FAILED', '{"run 5"}'),
    (null, 'CANCELLED', '{"run 6"}'),
    ('even', null, '{"run 8","run 6","run 4","run 2"}'),
    ('odd', 'RUNNING', '{"run 1"}'),
    ('even', 'PAUSED', '{}'),
    ('no such tenant', null, '{}'),
    ('EVEN', null, '{}')
) as v (tenant_id, status, run_ids);

select * from finish();
rollback;
