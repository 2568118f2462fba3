begin;
\ir ../_helpers/load.sql
select plan(1);

select is(
    (
        select array_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod) order by a.attnum)
        from pg_attribute as a
        where a.attrelid = 'runstore.run_snapshots'::regclass and a.attnum > 0 and not a.attisdropped
    ),
    array[
        'run_id text', 'status text', 'last_event_seq bigint', 'snapshot_data jsonb',
        'started_at timestamp with time zone', 'completed_at timestamp with time zone',
        'projected_at timestamp with time zone', 'version bigint'
    ],
    'in their order'
);

select * from finish();
rollback;
