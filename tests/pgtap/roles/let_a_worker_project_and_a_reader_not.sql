begin;
\ir ../_helpers/load.sql
select plan(8);

select pg_temp.append();
select pg_temp.make_login(r.role || '_login', r.role)
from unnest(array['runstore_reader', 'runstore_worker']::name[]) as r (role);

select is(
    pg_temp.error(v.statement, r.role || '_login') ->> 'sqlstate', r.sqlstate, format('%s: %s', r.role, v.statement)
)
from (values ('runstore_reader', '42501'), ('runstore_worker', null)) as r (role, sqlstate)
cross join (values
    ('select runstore.project_pending()'),
    ('select runstore.project_snapshot(''run-1'')'),
    ('select runstore.resync_run(''run-1'')'),
    ('select runstore.check_health()')
) as v (statement);

select * from finish();
rollback;
