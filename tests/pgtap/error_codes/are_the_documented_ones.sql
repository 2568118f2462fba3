-- Those of the list that the functions built so far can raise.
begin;
select plan(1);

select is_empty(
    $$
    select e.code collate "default", e.name collate "default"
    from runstore.error_codes as e
    except
    values
    ('RS001', 'INVALID_EVENT'), ('RS002', 'RUN_IDENTITY_MISMATCH'), ('RS003', 'EVENT_ID_REUSED'),
    ('RS004', 'INVALID_TRANSITION'), ('RS005', 'PAYLOAD_TOO_LARGE'), ('RS006', 'SIGNAL_RATE_EXCEEDED'),
    ('RS007', 'WRITE_BUDGET_EXCEEDED'), ('RS008', 'RUN_ARCHIVED'), ('RS009', 'APPEND_ONLY'),
    ('RS010', 'INVALID_ARGUMENT'), ('RS011', 'LEASE_LOST'), ('RS012', 'RUN_NOT_FOUND'),
    ('RS013', 'TENANT_FORBIDDEN')
    $$
);

select * from finish();
rollback;
