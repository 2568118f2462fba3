begin;
\ir ../_helpers/load.sql
select plan(2);

create function pg_temp.refs(variadic p_uris text[])
returns jsonb
language sql immutable
as $$
    select jsonb_build_object(
        'artifactRefs',
        coalesce(jsonb_agg(jsonb_build_object('uri', u.uri, 'kind', 'k', 'sizeBytes', 1.50) order by u.nth), '[]')
    )
    from unnest(p_uris) with ordinality as u (uri, nth)
$$;

select pg_temp.append('{"eventType": "StepStarted", "stepId": "first"}');
select pg_temp.append(
    jsonb_build_object('eventType', 'StepFailed', 'stepId', 'second', 'payload', pg_temp.refs('s1', 's2'))
);
select pg_temp.append(
    jsonb_build_object('eventType', 'StepSkipped', 'stepId', 'third', 'payload', pg_temp.refs(variadic '{}'))
);
select pg_temp.append('{"eventType": "StepCompleted", "stepId": "fourth"}');
select pg_temp.append(
    jsonb_build_object('eventType', 'StepSkipped', 'stepId', 'fifth', 'payload', pg_temp.refs('k1'))
);
select pg_temp.append(
    jsonb_build_object('eventType', 'StepCompleted', 'stepId', 'first', 'payload', pg_temp.refs('f1'))
);
select pg_temp.append(jsonb_build_object('eventType', 'RunCompleted', 'payload', pg_temp.refs('r1', 'r2')));

select is(
    runstore.project_snapshot('run-1') -> 'artifacts',
    pg_temp.refs('f1', 's1', 's2', 'k1', 'r1', 'r2') -> 'artifactRefs',
    'of the run'
);
select is(
    jsonb_path_query_array(runstore.get_snapshot('run-1'), '$.steps[*].artifacts'),
    jsonb_build_array(
        pg_temp.refs('f1') -> 'artifactRefs', pg_temp.refs('s1', 's2') -> 'artifactRefs', '[]'::jsonb, '[]'::jsonb,
        pg_temp.refs('k1') -> 'artifactRefs'
    ),
    'of each step'
);

select * from finish();
rollback;
