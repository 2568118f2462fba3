begin;
select plan(1);

select set_eq(
    $$
    select r.role, c.relname::text, p.privilege
    from pg_class as c
    cross join unnest(array['reader', 'writer', 'worker', 'admin']) as r (role)
    cross join unnest(
        array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']
    ) as p (privilege)
    where c.relnamespace = 'runstore'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
    and (
        has_table_privilege('runstore_' || r.role, c.oid, p.privilege)
        or (
            p.privilege in ('select', 'insert', 'update', 'references')
            and has_any_column_privilege('runstore_' || r.role, c.oid, p.privilege)
        )
    )
    $$,
    $$
    select r.role, v.name, 'select'
    from unnest(array['reader', 'worker', 'admin']) as r (role)
    cross join unnest(array['run_event_records', 'alerts', 'run_snapshots']) as v (name)
    $$
);

select * from finish();
rollback;
