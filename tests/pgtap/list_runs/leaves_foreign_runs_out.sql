begin;
\ir ../_helpers/load.sql
select plan(6);

select pg_temp.make_login('tenant_login', 'runstore_reader');
select runstore.bind_login('tenant_login', t.tenant_id) from unnest(array['tenant-2', 'tenant-3']) as t (tenant_id);
do $$
begin
    for n in 1..4 loop
        perform pg_temp.stop_clock('2026-03-01 12:00:00+00'::timestamptz + n * interval '1 second');
        perform pg_temp.append(jsonb_build_object('runId', 'run-' || n, 'tenantId', 'tenant-' || n));
    end loop;
end
$$;
select runstore.project_pending();

select is(
    pg_temp.rows_for('tenant_login', 'select r.run_id from runstore.list_runs(' || v.arguments || ') as r'),
    v.expected,
    v.arguments
)
from (values
    ('null', '[{"run_id": "run-3"}, {"run_id": "run-2"}]'::jsonb),
    ('''tenant-2''', '[{"run_id": "run-2"}]'),
    ('p_status => ''RUNNING''', '[{"run_id": "run-3"}, {"run_id": "run-2"}]'),
    ('p_limit => 1', '[{"run_id": "run-3"}]'),
    ('p_cursor => ''2026-03-01T12:00:04.000000Z|run-4''', '[{"run_id": "run-3"}, {"run_id": "run-2"}]')
) as v (arguments, expected);
select is((select count(*) from runstore.list_runs()), 4::bigint, 'an unbound login sees all');

select * from finish();
rollback;
