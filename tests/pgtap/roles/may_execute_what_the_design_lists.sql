-- Every function of the schema: what is not listed here is for nobody but the owner.
begin;
select plan(1);

create temporary table granted (role text, function text);
insert into granted
select r.role, f.function
from (values
    ('idempotency_key(text,text,integer,text,text,text)', '{reader,writer,worker,admin}'::text[]),
    ('version()', '{reader,writer,worker,admin}'),
    ('detect_gap(bigint,bigint)', '{reader,writer,worker,admin}'),
    (
        'append_event(text,text,timestamp with time zone,text,text,text,text,text,integer,integer,text,uuid,text,jsonb,'
        'text,jsonb,uuid,uuid)',
        '{writer,admin}'
    ),
    ('append_event(jsonb)', '{writer,admin}'),
    ('append_events(jsonb)', '{writer,admin}'),
    ('fetch_events(text,bigint,integer)', '{reader,worker,admin}'),
    ('list_runs(text,text,integer,text)', '{reader,worker,admin}'),
    ('get_snapshot(text)', '{reader,worker,admin}'),
    ('replay_snapshot(text,bigint)', '{reader,worker,admin}'),
    ('project_snapshot(text)', '{worker,admin}'),
    ('project_pending(integer)', '{worker,admin}'),
    ('resync_run(text,text)', '{worker,admin}'),
    ('check_health()', '{worker,admin}'),
    ('set_config_value(text,text)', '{admin}'),
    ('bind_login(name,text)', '{admin}'),
    ('unbind_login(name,text)', '{admin}'),
    ('ack_alert(uuid)', '{admin}'),
    ('resolve_alert(uuid)', '{admin}')
) as f (function, roles)
cross join lateral unnest(f.roles) as r (role);

select set_eq(
    $$
    select r.role, replace(p.oid::regprocedure::text, 'runstore.', '')
    from pg_proc as p
    cross join unnest(array['reader', 'writer', 'worker', 'admin']) as r (role)
    where p.pronamespace = 'runstore'::regnamespace
    and has_function_privilege('runstore_' || r.role, p.oid, 'execute')
    $$,
    'select g.role, g.function from granted as g'
);

select * from finish();
rollback;
