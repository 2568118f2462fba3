-- Takes back 0014.snapshots.
drop function runstore.list_runs(text, text, int, text);
drop type runstore.run_summary;
drop function runstore.detect_gap(bigint, bigint);
drop function runstore.replay_snapshot(text, bigint);
drop view runstore.run_snapshots;
drop function runstore.get_snapshot(text);
drop function runstore.snapshot_json(
    text, text, text, text, text, bigint, timestamptz, timestamptz, jsonb, jsonb, jsonb, boolean, text, text,
    bigint, boolean, timestamptz
);
drop function runstore.step_json(text, text, int, int, timestamptz, timestamptz, jsonb, jsonb, jsonb);
drop function runstore.array_items(jsonb);
drop function runstore.utc_text(timestamptz);
drop function runstore.check_run(text);
