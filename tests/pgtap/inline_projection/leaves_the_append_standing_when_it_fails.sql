begin;
\ir ../_helpers/load.sql
select plan(9);

select runstore.set_config_value('projection_mode', 'inline');
select pg_temp.append_types(f.form, 'StepStarted')
from unnest(array['named', 'positional', 'json', 'batch']) as f (form);
-- The projector has not come by yet: the next append meets the damage.
select runstore.set_config_value('projection_mode', 'async');
select pg_temp.append_types(f.form, 'StepCompleted')
from unnest(array['named', 'positional', 'json', 'batch']) as f (form);
select pg_temp.spoil(f.form, 2) from unnest(array['named', 'positional', 'json', 'batch']) as f (form);
select runstore.set_config_value('projection_mode', 'inline');

select is(
    pg_temp.rows_for(session_user, replace(c.statement, 'run-1', c.form)) #> '{0,run_seq}', '3'::jsonb,
    format('the append is answered, %s form', c.form)
)
from pg_temp.calls(pg_temp.event()) as c;
select is(
    jsonb_build_array(s.j -> 'lastEventSeq', s.j -> 'stale', a.code, a.count),
    '[1, true, "PROJECTION_FAILED", 1]'::jsonb,
    format('the run is parked, %s form', f.form)
)
from unnest(array['named', 'positional', 'json', 'batch']) as f (form)
cross join lateral runstore.get_snapshot(f.form) as s (j)
left join runstore.alerts as a on f.form = a.run_id;
select is((select count(*) from runstore.fetch_events('named')), 3::bigint, 'and the event is in the log');

select * from finish();
rollback;
