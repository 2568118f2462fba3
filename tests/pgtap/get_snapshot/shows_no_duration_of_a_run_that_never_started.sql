begin;
\ir ../_helpers/load.sql
select plan(6);

select pg_temp.append(jsonb_build_object('runId', e.event_type, 'eventType', e.event_type))
from unnest(array['RunCompleted', 'RunFailed', 'RunCancelled']) as e (event_type);

select ok(not s.j ? 'totalDurationMs' and s.j ? 'completedAt', format('%s, %s', e.event_type, s.what))
from unnest(array['RunCompleted', 'RunFailed', 'RunCancelled']) as e (event_type)
cross join lateral (values
    ('projected', runstore.project_snapshot(e.event_type)), ('replayed', runstore.replay_snapshot(e.event_type))
) as s (what, j);

select * from finish();
rollback;
