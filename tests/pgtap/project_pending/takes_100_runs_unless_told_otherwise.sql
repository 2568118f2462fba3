begin;
\ir ../_helpers/load.sql
select plan(3);

select runstore.append_events((
    select jsonb_agg(pg_temp.event(jsonb_build_object('runId', 'run ' || n))) from generate_series(1, 250) as n
));

select is(runstore.project_pending(), 100::bigint, 'absent');
select is(runstore.project_pending(null), 100::bigint, 'null');
select is(runstore.project_pending(), 50::bigint, 'the rest');

select * from finish();
rollback;
