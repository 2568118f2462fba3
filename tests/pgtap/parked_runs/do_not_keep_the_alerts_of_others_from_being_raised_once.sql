-- The runs are folded together first, in vain, and then one by one.
begin;
\ir ../_helpers/load.sql
select plan(1);

select pg_temp.append_types('damaged', 'StepCompleted');
select pg_temp.append_types('wrong', 'RunStarted', 'RunStarted');
select pg_temp.append_types('gap', 'RunStarted', 'RunPaused', 'RunResumed');
select pg_temp.spoil('damaged', 1);
select pg_temp.lose('gap', 2);
select runstore.project_pending();

select results_eq(
    $$
    select a.run_id::text collate "default", a.code::text collate "default", a.count
    from runstore.alerts as a
    order by 1
    $$,
    $$ values
    ('damaged'::text, 'PROJECTION_FAILED'::text, 1::bigint), ('gap', 'PROJECTOR_GAP_DETECTED', 1),
    ('wrong', 'INVALID_TRANSITION', 1)
    $$
);

select * from finish();
rollback;
