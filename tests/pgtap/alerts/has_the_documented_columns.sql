begin;
select plan(1);

select is(
    (
        select array_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod) order by a.attnum)
        from pg_attribute as a
        where a.attrelid = 'runstore.alerts'::regclass and a.attnum > 0 and not a.attisdropped
    ),
    array[
        'alert_id uuid', 'code text', 'severity text', 'run_id text', 'tenant_id text', 'event_id uuid',
        'run_seq bigint', 'details jsonb', 'raised_at timestamp with time zone',
        'last_seen_at timestamp with time zone', 'count bigint', 'acknowledged_at timestamp with time zone',
        'resolved_at timestamp with time zone'
    ],
    'in their order'
);

select * from finish();
rollback;
