begin;
\ir ../_helpers/load.sql
select plan(9);

create temporary table name as
select n.name
from (values
    ('"'), ('\'), ('\"},{'), (E'a\nb\r\tc'), (E'\u0001\u001f'), ('''; drop table runstore.run_states; --'),
    ('"stepId":"x",'), ('%s %1$s $1 null'), ('é😀 ')
) as n (name);

select pg_temp.append(jsonb_build_object(
    'runId', n.name, 'tenantId', n.name, 'projectId', n.name, 'environmentId', n.name, 'eventType', 'StepStarted',
    'stepId', n.name
))
from name as n;
select runstore.project_pending();

select is(
    jsonb_build_array(s.j -> 'runId', s.j -> 'tenantId', s.j -> 'projectId', s.j -> 'environmentId')
    || jsonb_path_query_array(s.j, '$.steps[*].stepId'),
    jsonb_build_array(n.name, n.name, n.name, n.name, n.name),
    n.name
)
from name as n
cross join lateral runstore.get_snapshot(n.name) as s (j);

select * from finish();
rollback;
