begin;
\ir ../_helpers/load.sql
select plan(6);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append_types('run-1', 'RunStarted', 'RunPaused');
select pg_temp.lose('run-1', 2);
select runstore.set_config_value('projection_mode', 'inline');
select pg_temp.append_types('run-1', 'RunResumed');
select is(
    jsonb_build_array(s.j -> 'lastEventSeq', s.j -> 'stale'), '[1, true]'::jsonb, 'an append finds the gap'
)
from runstore.get_snapshot('run-1') as s (j);
select is(
    (select jsonb_agg(jsonb_build_array(a.code, a.run_seq, a.count)) from runstore.alerts as a),
    '[["PROJECTOR_GAP_DETECTED", 2, 1]]'::jsonb,
    'and raises the alert'
);

select pg_temp.bring_back('run-1', 2);
select pg_temp.append_types('run-1', 'RunPaused');
select is(runstore.get_snapshot('run-1') -> 'lastEventSeq', '1'::jsonb, 'it does not look again at once');

select pg_temp.stop_clock('2026-03-01 12:00:01+00');
select pg_temp.append_types('run-1', 'RunResumed');
select is(
    jsonb_build_array(s.j -> 'lastEventSeq', s.j -> 'stale'), '[5, false]'::jsonb, 'but when the time has come'
)
from runstore.get_snapshot('run-1') as s (j);
select ok((select a.resolved_at is not null from runstore.alerts as a), 'the alert is closed');
select is((select count(*) from runstore.due_runs), 0::bigint, 'and nothing is left to do');

select * from finish();
rollback;
