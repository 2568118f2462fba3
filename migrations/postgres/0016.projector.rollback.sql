-- Takes back 0016.projector.
drop function runstore.resync_run(text, text);
drop function runstore.project_snapshot(text);
drop function runstore.project_pending(int);
drop function runstore.project_append(text[]);
drop function runstore.try_lock_projections(text[]);
drop function runstore.lock_projection(text);
drop function runstore.project_runs(text[], boolean);
