-- The seconds after which the projector looks again, each time in vain: it leaves the run alone a microsecond earlier.
begin;
\ir ../_helpers/load.sql
select plan(3);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append_types('run-1', 'RunStarted', 'RunPaused', 'RunResumed');
select pg_temp.lose('run-1', 2);
select runstore.project_pending();

create temporary table look (nth int, attempts_before int, attempts_after int, wait interval);

do $$
declare
    v_now timestamptz := '2026-03-01 12:00:00+00';
    v_before runstore.due_runs;
    v_after runstore.due_runs;
begin
    for n in 1..8 loop
        select d.* into v_before from runstore.due_runs as d;
        perform pg_temp.stop_clock(v_before.retry_at - interval '1 microsecond');
        perform runstore.project_pending();
        select d.* into v_after from runstore.due_runs as d;
        insert into look values (n, v_before.attempts, v_after.attempts, v_before.retry_at - v_now);
        v_now := v_before.retry_at;
        perform pg_temp.stop_clock(v_now);
        perform runstore.project_pending();
    end loop;
end
$$;

select is(
    array(select extract(epoch from l.wait)::int from look as l order by l.nth),
    '{1,2,4,8,16,30,30,30}',
    'it waits longer each time, up to a limit'
);
select is_empty('select l.nth from look as l where l.attempts_before <> l.attempts_after', 'and not a moment less');
select results_eq(
    'select l.attempts_before from look as l order by l.nth', 'select generate_series(1, 8)', 'each look counts'
);

select * from finish();
rollback;
