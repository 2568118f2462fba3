-- The seconds after which the projector tries again, each time in vain: it leaves the run alone a microsecond earlier.
begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append_types('run-1', 'StepCompleted');
select pg_temp.spoil('run-1', 1);
select runstore.project_pending();

create temporary table attempt (nth int, early_count bigint, wait interval);

do $$
declare
    v_now timestamptz := '2026-03-01 12:00:00+00';
    v_due runstore.due_runs;
begin
    for n in 1..8 loop
        select d.* into v_due from runstore.due_runs as d;
        perform pg_temp.stop_clock(v_due.retry_at - interval '1 microsecond');
        perform runstore.project_pending();
        insert into attempt select n, a.count, v_due.retry_at - v_now from runstore.alerts as a;
        v_now := v_due.retry_at;
        perform pg_temp.stop_clock(v_now);
        perform runstore.project_pending();
    end loop;
end
$$;

select is(
    array(select extract(epoch from a.wait)::int from attempt as a order by a.nth),
    '{1,2,4,8,16,30,30,30}',
    'it waits longer each time, up to a limit'
);
select results_eq(
    'select a.early_count from attempt as a order by a.nth',
    'select n::bigint from generate_series(1, 8) as n',
    'and not a moment less'
);

select * from finish();
rollback;
