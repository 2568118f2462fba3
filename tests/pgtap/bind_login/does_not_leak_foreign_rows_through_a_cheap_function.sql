-- A condition of the reader's own must not be tried on rows that the view leaves out.
begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.make_login('tenant_login', 'runstore_reader');
select runstore.bind_login('tenant_login', 'tenant-1');
select pg_temp.append();
select pg_temp.append('{"runId": "run-2", "tenantId": "tenant-2", "payload": {"a": "not a number"}}');
select runstore.raise_alert('IDEMPOTENCY_CONFLICT', 'run-2', 'tenant-2', pg_temp.id(1), 1, '{"a": "not a number"}');

create function pg_temp.leak(p_value jsonb) returns boolean language plpgsql cost 0.0000001 as $$
begin
    if p_value ? 'a' then
        raise exception 'leaked %', p_value;
    end if;
    return true;
end
$$;

select is(
    pg_temp.error('select count(*) from runstore.run_event_records as e where pg_temp.leak(e.payload)', 'tenant_login'),
    null,
    'run_event_records'
);
select is(
    pg_temp.error('select count(*) from runstore.alerts as a where pg_temp.leak(a.details)', 'tenant_login'),
    null,
    'alerts'
);

select * from finish();
rollback;
