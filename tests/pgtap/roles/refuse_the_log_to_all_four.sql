begin;
\ir ../_helpers/load.sql
select plan(56);

select pg_temp.append();
select pg_temp.make_login(r.role || '_login', r.role)
from unnest(array['runstore_reader', 'runstore_writer', 'runstore_worker', 'runstore_admin']::name[]) as r (role);

select is(
    pg_temp.error(v.statement, r.role || '_login') ->> 'sqlstate', '42501', format('%s: %s', r.role, v.statement)
)
from unnest(array['runstore_reader', 'runstore_writer', 'runstore_worker', 'runstore_admin']) as r (role)
cross join (values
    ('select * from runstore.run_events'),
    ('insert into runstore.run_events default values'),
    ('update runstore.run_events set payload = null'),
    ('delete from runstore.run_events'),
    ('truncate runstore.run_events'),
    ('update runstore.run_counters set last_seq = 0'),
    ('update runstore.config set any_login_is_bound = false'),
    ('select * from runstore.run_states'),
    ('update runstore.run_steps set status = ''FAILED'''),
    ('delete from runstore.due_runs'),
    ('update runstore.consumers set is_active = false'),
    ('delete from runstore.transitions'),
    ('update runstore.event_effects set to_codes = from_codes'),
    ('select runstore.clock()')
) as v (statement);

select * from finish();
rollback;
