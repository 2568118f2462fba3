-- A condition of the reader's own must not be tried on rows that the view leaves out.
begin;
\ir ../_helpers/load.sql
select plan(1);

select pg_temp.make_login('tenant_login', 'runstore_reader');
select runstore.bind_login('tenant_login', 'tenant-1');
select pg_temp.append();
select pg_temp.append('{"runId": "run-2", "tenantId": "tenant-2"}');
select runstore.project_pending();

create function pg_temp.leak(p_run_id text) returns boolean language plpgsql cost 0.0000001 as $$
begin
    if p_run_id <> 'run-1' then
        raise exception 'leaked %', p_run_id;
    end if;
    return true;
end
$$;

select is(
    pg_temp.error('select count(*) from runstore.run_snapshots as s where pg_temp.leak(s.run_id)', 'tenant_login'), null
);

select * from finish();
rollback;
