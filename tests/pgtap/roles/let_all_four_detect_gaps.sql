begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.make_login(r.role || '_login', r.role)
from unnest(array['runstore_reader', 'runstore_writer', 'runstore_worker', 'runstore_admin']::name[]) as r (role);

select is(
    pg_temp.rows_for((r.role || '_login')::name, 'select runstore.detect_gap(1, 3) as has_gap'),
    '[{"has_gap": true}]'::jsonb,
    r.role
)
from unnest(array['runstore_reader', 'runstore_writer', 'runstore_worker', 'runstore_admin']) as r (role);

select * from finish();
rollback;
