-- Refuses an event whose tenant, project or environment is not its run's, without showing what is stored. Never
-- returns.
create function runstore.refuse_identity(p_run_id text, p_index int default null)
returns void
language plpgsql stable
as $$
begin
    perform runstore.raise_error(
        'RS002',
        pg_catalog.concat(
            'event ' || p_index::text || ' of the batch: ',
            pg_catalog.format(
                'runId "%s" exists under another tenant, project or environment', pg_catalog.left(p_run_id, 100)
            )
        ),
        'Send the tenant, project and environment of the run''s first event, or choose another run id.',
        'runId',
        p_run_id,
        'the tenant, project and environment of the run''s first event',
        p_index
    );
end
$$;

comment on function runstore.refuse_identity(text, int) is
'Raises RS002 for a run that exists under another tenant, project or environment.';

revoke all on function runstore.refuse_identity(text, int) from public;
