begin;
\ir ../_helpers/load.sql
select plan(136);

select is(
    pg_temp.outcome(c.statement) - array['expected', 'index'],
    '{"code": "RS001", "field": "payload.artifactRefs"}'::jsonb,
    format('%s, %s form', v.refs, c.form)
)
from (values
    ('null'::jsonb),
    ('{}'),
    ('{"uri": "u", "kind": "k"}'),
    ('"s3://bucket/key"'),
    ('1'),
    ('true'),
    ('["s3://bucket/key"]'),
    ('[null]'),
    ('[1]'),
    ('[[]]'),
    ('[[{"uri": "u", "kind": "k"}]]'),
    ('[{}]'),
    ('[{"uri": "u"}]'),
    ('[{"kind": "k"}]'),
    ('[{"uri": "", "kind": "k"}]'),
    ('[{"uri": "u", "kind": ""}]'),
    ('[{"uri": null, "kind": "k"}]'),
    ('[{"uri": 1, "kind": "k"}]'),
    ('[{"uri": ["u"], "kind": "k"}]'),
    ('[{"uri": [], "kind": "k"}]'),
    ('[{"uri": "u", "kind": ["k"]}]'),
    ('[{"uri": "u", "kind": {"k": 1}}]'),
    ('[{"uri": "data:text/plain;base64,eA==", "kind": "k"}]'),
    ('[{"uri": "DaTa:,x", "kind": "k"}]'),
    ('[{"uri": " data:,x", "kind": "k"}]'),
    ('[{"uri": "\tdata:,x", "kind": "k"}]'),
    ('[{"uri": "\n\r data:,x", "kind": "k"}]'),
    ('[{"uri": "s3://bucket/key", "kind": "k"}, {"uri": "data:,x", "kind": "k"}]'),
    ('[{"uri": "u", "kind": "k", "sha256": 1}]'),
    ('[{"uri": "u", "kind": "k", "sizeBytes": "1"}]'),
    ('[{"uri": "u", "kind": "k", "sizeBytes": -1}]'),
    ('[{"uri": "u", "kind": "k", "expiresAt": 1}]'),
    ('[{"uri": "u", "kind": "k", "content": "x"}]'),
    ('[{"uri": "u", "kind": "k"}, {"uri": "u", "kind": "k", "URI": "x"}]')
) as v (refs)
cross join lateral pg_temp.calls(
    pg_temp.event(jsonb_build_object('payload', jsonb_build_object('artifactRefs', v.refs)))
) as c;

select * from finish();
rollback;
