-- Opens an alert, or counts one more occurrence when the same one (run, event, code) is open. It lives and dies with
-- the caller's transaction, and locks the alert's row until that ends.
create function runstore.raise_alert(
    p_code text,
    p_run_id text,
    p_tenant_id text,
    p_event_id uuid,
    p_run_seq bigint,
    p_details jsonb
)
returns void
language plpgsql volatile
as $$
declare
    v_now constant timestamptz := runstore.clock();
begin
    insert into runstore.alert_log as a (
        alert_id, run_id, code, tenant_id, event_id, run_seq, details, raised_at, last_seen_at, count
    )
    values (
        pg_catalog.gen_random_uuid(), p_run_id, p_code, p_tenant_id, p_event_id, p_run_seq, p_details, v_now, v_now, 1
    )
    on conflict (run_id, code, coalesce(event_id, '00000000-0000-0000-0000-000000000000'::uuid))
    where resolved_at is null
    do update set
        count = a.count + 1,
        last_seen_at = greatest(a.last_seen_at, excluded.last_seen_at),
        details = excluded.details;
end
$$;

comment on function runstore.raise_alert(text, text, text, uuid, bigint, jsonb) is
'Opens an alert, or counts one more occurrence of the one that is open.';

revoke all on function runstore.raise_alert(text, text, text, uuid, bigint, jsonb) from public;
