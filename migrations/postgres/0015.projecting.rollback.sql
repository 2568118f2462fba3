-- Takes back 0015.projecting.
drop function runstore.reset_projection(text[]);
drop function runstore.park_run(text, text, text);
drop function runstore.settle_runs(runstore.fold_span[]);
drop function runstore.store_fold(runstore.fold_span[]);
drop function runstore.alert_refusals(runstore.fold_span[], text[], bigint[], text[]);
drop function runstore.alert_is_held(text, text);
drop function runstore.close_alerts(text, text[]);
