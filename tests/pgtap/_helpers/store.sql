-- All that the log, the counters, the alerts, the projection and the notes hold: equal before and after when nothing
-- was written.
create function pg_temp.contents()
returns jsonb
language sql volatile
as $$
    select jsonb_build_object(
        'log', (select jsonb_agg(to_jsonb(e) order by e.run_id, e.run_seq) from runstore.run_events as e),
        'counters', (select jsonb_agg(to_jsonb(r) order by r.run_id) from runstore.run_counters as r),
        'alerts', (select jsonb_agg(to_jsonb(a) order by a.run_id, a.alert_id) from runstore.alert_log as a),
        'states', (select jsonb_agg(to_jsonb(t) order by t.run_id) from runstore.run_states as t),
        'steps', (select jsonb_agg(to_jsonb(p) order by p.run_id, p.step_id) from runstore.run_steps as p),
        'notes', (select jsonb_agg(to_jsonb(d) order by d.run_id, d.consumer) from runstore.due_runs as d)
    )
$$;

-- Stops the clock until this is called again or the transaction ends.
create function pg_temp.stop_clock(p_now timestamptz)
returns void
language plpgsql volatile
as $$
begin
    execute format(
        'create or replace function runstore.clock() returns timestamptz language sql volatile return %L::timestamptz',
        p_now
    );
end
$$;

-- Makes a login with the given roles.
create function pg_temp.make_login(p_login name, variadic p_roles name[] default '{}')
returns void
language plpgsql volatile
as $$
declare
    v_role name;
begin
    execute format('create role %I login', p_login);

    foreach v_role in array p_roles loop
        execute format('grant %I to %I', v_role, p_login);
    end loop;
end
$$;
