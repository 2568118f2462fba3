-- Every stored snapshot. A login that is bound to tenants sees its tenants' runs only. For one run call
-- get_snapshot(); for a list of runs, list_runs(), which does not build the JSON.
create view runstore.run_snapshots with (security_barrier = true) as
select
    r.run_id,
    r.status,
    r.last_event_seq,
    runstore.get_snapshot(r.run_id) as snapshot_data,
    r.started_at,
    r.completed_at,
    r.projected_at,
    r.version
from runstore.run_states as r
cross join runstore.session_tenants as s
where s.tenants is null or r.tenant_id = any(s.tenants);

comment on view runstore.run_snapshots is 'Every stored snapshot, one row per run.';
comment on column runstore.run_snapshots.run_id is 'The run.';
comment on column runstore.run_snapshots.status is 'State of the run.';
comment on column runstore.run_snapshots.last_event_seq is 'run_seq of the last event in the snapshot.';
comment on column runstore.run_snapshots.snapshot_data is 'The snapshot, as get_snapshot() returns it.';
comment on column runstore.run_snapshots.started_at is 'When the run started, by its producer.';
comment on column runstore.run_snapshots.completed_at is 'When the run ended, by its producer.';
comment on column runstore.run_snapshots.projected_at is 'When the snapshot was last written.';
comment on column runstore.run_snapshots.version is 'How often the snapshot was written, from 0.';

grant select on runstore.run_snapshots to runstore_reader, runstore_worker, runstore_admin;
