-- Closes the open alerts of runs with a code, because what they told of is over. Passes over an alert that someone else
-- is working on in an open transaction; check_health() comes back to it. Locks the alerts' rows; one statement.
create function runstore.close_alerts(p_code text, p_run_ids text[])
returns void
language plpgsql volatile
as $$
begin
    with ended as materialized (
        select o.run_id, o.alert_id
        from runstore.alert_log as o
        where o.run_id = any(p_run_ids) and o.code = p_code and o.resolved_at is null
        for update skip locked
    )

    update runstore.alert_log as a
    set resolved_at = runstore.clock()
    from ended as v
    where a.run_id = v.run_id and a.alert_id = v.alert_id;
end
$$;

comment on function runstore.close_alerts(text, text[]) is
'Closes the open alerts of runs with a code.';

revoke all on function runstore.close_alerts(text, text[]) from public;
