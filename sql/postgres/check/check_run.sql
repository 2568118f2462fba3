-- Refuses the id of a run that does not exist, or is not the tenant's that the session's login is bound to; both read
-- the same. Returns when the run is there. Reads one row.
create function runstore.check_run(p_run_id text)
returns void
language plpgsql stable
as $$
begin
    if not exists (
        select from runstore.run_counters as r
        where r.run_id = p_run_id and not runstore.tenant_is_foreign(r.tenant_id)
    ) then
        perform runstore.raise_error(
            'RS012',
            pg_catalog.format('runId %L is no run', p_run_id),
            'Check the id; a run exists from its first event on.',
            'runId',
            p_run_id,
            'the id of a run'
        );
    end if;
end
$$;

comment on function runstore.check_run(text) is 'Raises RS012 for a run that is unknown.';

revoke all on function runstore.check_run(text) from public;
