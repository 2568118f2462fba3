begin;
\ir ../_helpers/load.sql
select plan(2);

do $$
begin
    for n in 1..6 loop
        perform pg_temp.stop_clock('2026-03-01 12:00:00+00'::timestamptz + n * interval '1 second');
        perform pg_temp.append(jsonb_build_object('runId', 'run ' || n));
    end loop;
end
$$;
select runstore.project_pending();
create temporary table page as select r.* from runstore.list_runs(p_limit => 3) as r;

select pg_temp.stop_clock('2026-03-01 13:00:00+00');
select pg_temp.append('{"runId": "run 7"}');
select pg_temp.append_types('run 5', 'RunCompleted');
select pg_temp.append_types('run 3', 'RunFailed');
select pg_temp.append_types('run 4', 'RunPaused');
select runstore.project_pending();

select is(array(select p.run_id from page as p), '{"run 6","run 5","run 4"}', 'the first page');
select is(
    array(select r.run_id from runstore.list_runs(p_limit => 3, p_cursor => (
        select p.cursor from page as p where p.run_id = 'run 4'
    )) as r),
    '{"run 3","run 2","run 1"}',
    'the second has none of it and lacks none'
);

select * from finish();
rollback;
