begin;
\ir ../_helpers/load.sql
select plan(1);

select runstore.raise_alert('IDEMPOTENCY_CONFLICT', '', null, null, null, '{}') from generate_series(1, 2);

select results_eq(
    $$
    select a.run_id collate "default", a.tenant_id collate "default", a.event_id, a.count
    from runstore.alerts as a
    $$,
    $$ values (''::text, null::text, null::uuid, 2::bigint) $$,
    'one open alert, counted'
);

select * from finish();
rollback;
