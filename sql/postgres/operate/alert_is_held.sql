-- Whether the open alert of a run with a code, if there is one, is locked by someone else: a background worker then
-- leaves it alone, because it must not wait for a person's open transaction. Locks the alert's row otherwise.
create function runstore.alert_is_held(p_code text, p_run_id text)
returns boolean
language plpgsql volatile
as $$
begin
    perform from runstore.alert_log as a
    where a.run_id = p_run_id and a.code = p_code and a.resolved_at is null
    for update skip locked;

    return not found and exists (
        select from runstore.alert_log as a
        where a.run_id = p_run_id and a.code = p_code and a.resolved_at is null
    );
end
$$;

comment on function runstore.alert_is_held(text, text) is
'Whether the open alert of a run with a code is locked by someone else.';

revoke all on function runstore.alert_is_held(text, text) from public;
