begin;
\ir ../_helpers/load.sql
select plan(1);

select pg_temp.append_types('well', 'RunStarted');
select pg_temp.append_types('gap', 'RunStarted', 'RunPaused', 'RunResumed');
select pg_temp.append_types('parked', 'StepCompleted');
select pg_temp.lose('gap', 2);
select pg_temp.spoil('parked', 1);
select runstore.project_pending();
-- As when someone held the alert while the projector went on.
select runstore.raise_alert(a.code, r.run_id, 'tenant-1', null, 1, '{}')
from unnest(array['well', 'gap', 'parked']) as r (run_id)
cross join unnest(array['PROJECTOR_GAP_DETECTED', 'PROJECTION_FAILED', 'INVALID_TRANSITION']) as a (code);
select runstore.check_health();

select results_eq(
    $$
    select a.run_id::text collate "default", a.code::text collate "default"
    from runstore.alerts as a
    where a.resolved_at is null
    order by 1, 2
    $$,
    $$ values
    ('gap'::text, 'INVALID_TRANSITION'::text), ('gap', 'PROJECTOR_GAP_DETECTED'), ('parked', 'INVALID_TRANSITION'),
    ('parked', 'PROJECTION_FAILED'), ('well', 'INVALID_TRANSITION')
    $$
);

select * from finish();
rollback;
