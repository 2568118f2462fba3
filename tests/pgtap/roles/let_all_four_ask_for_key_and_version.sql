begin;
\ir ../_helpers/load.sql
select plan(8);

select pg_temp.make_login(r.role || '_login', r.role)
from unnest(array['runstore_reader', 'runstore_writer', 'runstore_worker', 'runstore_admin']::name[]) as r (role);

select is(pg_temp.error(v.statement, r.role || '_login'), null, format('%s: %s', r.role, v.statement))
from unnest(array['runstore_reader', 'runstore_writer', 'runstore_worker', 'runstore_admin']) as r (role)
cross join (values
    ('select runstore.version()'),
    ('select runstore.idempotency_key(''r'', null, 1, ''t'', ''p'', ''1'')')
) as v (statement);

select * from finish();
rollback;
