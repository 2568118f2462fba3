begin;
\ir ../_helpers/load.sql
select plan(7);

create function pg_temp.nested(p_depth int) returns jsonb language sql immutable as $$
    select jsonb_build_object('error', (repeat('[', p_depth) || repeat(']', p_depth))::jsonb)
$$;

select pg_temp.append(jsonb_build_object('runId', 'deep', 'eventType', 'RunFailed', 'payload', pg_temp.nested(2000)));
select pg_temp.append(jsonb_build_object('runId', 'shallow', 'eventType', 'RunFailed', 'payload', pg_temp.nested(900)));
select pg_temp.append('{"runId": "endless"}');
select pg_temp.unguarded($$ update runstore.run_events set emitted_at = 'infinity' where run_id = 'endless' $$);
select runstore.project_pending();

select is(runstore.get_snapshot(v.run_id) -> 'stale', v.stale, v.run_id)
from (values ('deep', 'true'::jsonb), ('shallow', 'false'), ('endless', 'true')) as v (run_id, stale);
select results_eq(
    $$ select a.run_id::text collate "default", a.details ->> 'sqlstate' from runstore.alerts as a order by 1 $$,
    $$ values ('deep'::text, '22000'::text), ('endless', '22000') $$,
    'with an alert each'
);
select is((select count(*) from runstore.run_snapshots), 3::bigint, 'all can be read');
select is(
    runstore.get_snapshot('shallow') -> 'error', pg_temp.nested(900) -> 'error', 'one that can be shown is as it was'
);
select is((select count(*) from runstore.list_runs()), 3::bigint, 'and listed');

select * from finish();
rollback;
