begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append_types('run-1', 'RunStarted', 'StepStarted', 'StepCompleted');
select runstore.project_snapshot('run-1');
create temporary table step (what text, version bigint, projected_at timestamptz);
insert into step select 'the first', s.version, s.projected_at from runstore.run_snapshots as s;

select pg_temp.stop_clock('2026-03-01 12:00:01+00');
select runstore.project_snapshot('run-1');
insert into step select 'nothing new', s.version, s.projected_at from runstore.run_snapshots as s;

select pg_temp.append_types('run-1', 'Custom', 'RunPaused');
select runstore.project_snapshot('run-1');
insert into step select 'two events at once', s.version, s.projected_at from runstore.run_snapshots as s;

select pg_temp.stop_clock('2026-03-01 12:00:02+00');
select runstore.resync_run('run-1');
insert into step select 'made anew', s.version, s.projected_at from runstore.run_snapshots as s;

select is(
    (s.version, s.projected_at)::text, (e.version, e.projected_at)::text, e.what
)
from (values
    ('the first', 0::bigint, '2026-03-01 12:00:00+00'::timestamptz),
    ('nothing new', 0, '2026-03-01 12:00:00+00'),
    ('two events at once', 1, '2026-03-01 12:00:01+00'),
    ('made anew', 2, '2026-03-01 12:00:02+00')
) as e (what, version, projected_at)
left join step as s on e.what = s.what;

select * from finish();
rollback;
