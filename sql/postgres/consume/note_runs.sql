-- Notes for every active consumer that runs have events that it has not seen. The caller holds the runs' locks, so no
-- consumer can be removing its note meanwhile. One statement.
create function runstore.note_runs(p_run_ids text[], p_due_since timestamptz)
returns void
language plpgsql volatile
as $$
begin
    insert into runstore.due_runs (run_id, consumer, due_since)
    select r.run_id, c.name, p_due_since
    from pg_catalog.unnest(p_run_ids) as r (run_id)
    cross join runstore.consumers as c
    where c.is_active
    on conflict do nothing;
end
$$;

comment on function runstore.note_runs(text[], timestamptz) is
'Notes for every active consumer that runs have events that it has not seen.';

revoke all on function runstore.note_runs(text[], timestamptz) from public;
