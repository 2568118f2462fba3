begin;
\ir ../_helpers/load.sql
select plan(4);

select runstore.append_events((
    select jsonb_agg(pg_temp.event(jsonb_build_object('runId', 'run ' || n))) from generate_series(1, 101) as n
));
select runstore.project_pending(1000);

select is((select count(*) from runstore.list_runs()), 100::bigint, 'absent');
select is((select count(*) from runstore.list_runs(null, null, null, null)), 100::bigint, 'null');
select is((select count(*) from runstore.list_runs(p_limit => 101)), 101::bigint, '101');
select is((select count(*) from runstore.list_runs(p_limit => 10000)), 101::bigint, '10000');

select * from finish();
rollback;
