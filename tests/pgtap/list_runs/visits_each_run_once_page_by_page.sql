begin;
\ir ../_helpers/load.sql
select plan(6);

-- Three runs per microsecond, in four states, of two tenants.
do $$
begin
    for n in 0..9 loop
        perform pg_temp.stop_clock('2026-03-01 12:00:00+00'::timestamptz + n * interval '1 microsecond');
        perform pg_temp.append(jsonb_build_object(
            'runId', format('run %s %s', n, k), 'tenantId', 'tenant-' || k % 2,
            'eventType', (array['RunStarted', 'RunApproved', 'Custom', 'RunFailed'])[1 + (n + k) % 4]
        ))
        from generate_series(1, 3) as k;
    end loop;
end
$$;
select runstore.project_pending();

create function pg_temp.walk_pages(p_limit int, p_tenant_id text default null, p_status text default null)
returns text[]
language plpgsql stable
as $$
declare
    v_seen text[] := '{}';
    v_cursor text;
    v_page runstore.run_summary[];
begin
    loop
        v_page := array(select r from runstore.list_runs(p_tenant_id, p_status, p_limit, v_cursor) as r);
        exit when v_page = '{}';
        v_seen := v_seen || array(select r.run_id from unnest(v_page) with ordinality as r order by r.ordinality);
        v_cursor := v_page[cardinality(v_page)].cursor;
    end loop;
    return v_seen;
end
$$;

create temporary table expected as
select
    r.run_id::text as run_id, s.status, r.tenant_id,
    row_number() over (order by e.persisted_at desc, r.run_id desc) as nth
from runstore.run_counters as r
inner join runstore.run_events as e on r.run_id = e.run_id and e.run_seq = 1
inner join runstore.run_states as s on r.run_id = s.run_id;

select is(
    pg_temp.walk_pages(p.row_limit),
    array(select e.run_id from expected as e order by e.nth),
    format('%s at a time', p.row_limit)
)
from (values (1), (2), (7), (30)) as p (row_limit);
select is(
    pg_temp.walk_pages(2, p_status => 'RUNNING'),
    array(select e.run_id from expected as e where e.status = 'RUNNING' order by e.nth),
    'of one status'
);
select is(
    pg_temp.walk_pages(3, 'tenant-1'),
    array(select e.run_id from expected as e where e.tenant_id = 'tenant-1' order by e.nth),
    'of one tenant'
);

select * from finish();
rollback;
