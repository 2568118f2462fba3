begin;
\ir ../_helpers/load.sql
select plan(14);

select is(
    pg_temp.outcome(format(
        'select pg_temp.append(%L)',
        jsonb_build_object('runId', 'run-' || v.nth, 'payload', jsonb_build_object('artifactRefs', v.refs))
    )),
    '{}',
    v.refs::text
)
from (values
    (1, '[]'::jsonb),
    (2, '[{"uri": "s3://bucket/key", "kind": "table"}]'),
    (3, '[{"uri": "/relative/path", "kind": "x"}]'),
    (4, '[{"uri": "https://example.com/?q=data:text", "kind": "report"}]'),
    (5, '[{"uri": "database:orders", "kind": "data:"}]'),
    (6, '[{"uri": "u", "kind": "k", "sha256": "abc"}]'),
    (7, '[{"uri": "u", "kind": "k", "sizeBytes": 0}]'),
    (8, '[{"uri": "u", "kind": "k", "sizeBytes": 9007199254740993}]'),
    (9, '[{"uri": "u", "kind": "k", "expiresAt": "2026-03-01T00:00:00Z"}]'),
    (10, '[{"uri": "u", "kind": "k", "sha256": "a", "sizeBytes": 1, "expiresAt": "2026-03-01T00:00:00Z"}]'),
    (11, '[{"uri": "u", "kind": "k"}, {"uri": "u", "kind": "k"}]'),
    (12, '[{"uri": "s3://büro/ß", "kind": "größe"}]')
) as v (nth, refs);

select is(
    pg_temp.outcome($$ select pg_temp.append('{"payload": {"artifactrefs": 1, "x": {"artifactRefs": 2}}}') $$),
    '{}',
    'only the key artifactRefs of the payload itself has a meaning'
);
select is(
    pg_temp.outcome(format(
        'select pg_temp.append(%L)',
        jsonb_build_object('runId', 'many', 'payload', jsonb_build_object('artifactRefs', (
            select jsonb_agg(jsonb_build_object('uri', 's3://bucket/' || n, 'kind', 'file'))
            from generate_series(1, 1000) as n
        )))
    )),
    '{}',
    'a thousand'
);

select * from finish();
rollback;
