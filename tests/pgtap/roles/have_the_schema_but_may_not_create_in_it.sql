begin;
select plan(8);

select is(
    has_schema_privilege('runstore_' || r.role, 'runstore', p.privilege),
    p.privilege = 'usage',
    format('%s, %s', r.role, p.privilege)
)
from unnest(array['reader', 'writer', 'worker', 'admin']) as r (role)
cross join unnest(array['usage', 'create']) as p (privilege);

select * from finish();
rollback;
