-- Closes the open alerts of a run with a code, because what they told of is over. Locks their rows until the end of
-- the transaction; one statement.
create function runstore.close_alerts(p_code text, p_run_id text)
returns void
language plpgsql volatile
as $$
begin
    update runstore.alert_log as a
    set resolved_at = runstore.clock()
    where a.run_id = p_run_id and a.code = p_code and a.resolved_at is null;
end
$$;

comment on function runstore.close_alerts(text, text) is
'Closes the open alerts of a run with a code.';

revoke all on function runstore.close_alerts(text, text) from public;
