begin;
select plan(1);

select is_empty(
    $$
    select a.code collate "default", a.severity collate "default"
    from runstore.alert_codes as a
    except
    values
    ('PROJECTOR_GAP_DETECTED', 'P1'), ('PROJECTOR_LAG_HIGH', 'P2'), ('PROJECTION_FAILED', 'P2'),
    ('DEAD_LETTERED', 'P2'), ('IDEMPOTENCY_CONFLICT', 'P3'), ('INVALID_TRANSITION', 'P3')
    $$
);

select * from finish();
rollback;
