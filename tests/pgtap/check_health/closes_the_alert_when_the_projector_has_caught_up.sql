begin;
\ir ../_helpers/load.sql
select plan(3);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append_types('run-1', 'RunStarted');
select pg_temp.stop_clock('2026-03-01 12:00:06+00');
select runstore.check_health();
select runstore.project_pending();
select is((select a.resolved_at from runstore.alerts as a), null, 'the projector does not close it');

select pg_temp.stop_clock('2026-03-01 12:00:07+00');
select runstore.check_health();
select runstore.check_health();
select results_eq(
    'select a.count, a.resolved_at from runstore.alerts as a',
    $$ values (1::bigint, '2026-03-01 12:00:07+00'::timestamptz) $$,
    'the next look does'
);

select pg_temp.append_types('run-1', 'RunPaused');
select pg_temp.stop_clock('2026-03-01 12:00:20+00');
select runstore.check_health();
select results_eq(
    'select a.count, a.resolved_at is null from runstore.alerts as a order by a.raised_at',
    $$ values (1::bigint, false), (1, true) $$,
    'and a new lag opens a new one'
);

select * from finish();
rollback;
