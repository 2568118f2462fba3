-- Closes an alert, acknowledged or not; the first resolution stands, and a later occurrence opens a new alert. Locks
-- the alert's row. Raises RS010 when the session's login sees no such alert.
create function runstore.resolve_alert(p_alert_id uuid)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    update runstore.alert_log as a
    set resolved_at = coalesce(a.resolved_at, runstore.clock())
    from runstore.alerts as v
    where a.alert_id = p_alert_id and v.alert_id = a.alert_id;

    if not found then
        perform runstore.refuse_alert_id(p_alert_id);
    end if;
end
$$;

comment on function runstore.resolve_alert(uuid) is 'Closes an alert. RS010 when there is no such alert.';

revoke all on function runstore.resolve_alert(uuid) from public;
grant execute on function runstore.resolve_alert(uuid) to runstore_admin;
