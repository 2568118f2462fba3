begin;
\ir ../_helpers/load.sql
select plan(14);

set local time zone 'UTC';

select is(
    pg_temp.outcome(c.statement) - array['value', 'expected', 'index'],
    '{"code": "RS001", "field": "emittedAt"}'::jsonb,
    format('%s, %s form', v.instant, c.form)
)
from (values
    ('0001-12-31 23:59:59.999999+00 BC', 'named'),
    ('4713-01-01 00:00:00+00 BC', 'named'),
    ('0001-01-01 00:00:00+00:01', 'named'),
    ('10000-01-01 00:00:00+00', 'named'),
    ('9999-12-31 23:59:59.999999-00:01', 'named'),
    ('294276-12-31 23:59:59+00', 'named'),
    ('0000-12-31T23:59:59Z', 'json'),
    ('0001-01-01T00:00:00+00:01', 'json'),
    ('9999-12-31T23:59:59.999999-00:01', 'json'),
    ('10000-01-01T00:00:00Z', 'json'),
    ('0000-12-31T23:59:59Z', 'batch'),
    ('0001-01-01T00:00:00+00:01', 'batch'),
    ('9999-12-31T23:59:59.999999-00:01', 'batch'),
    ('10000-01-01T00:00:00Z', 'batch')
) as v (instant, form)
cross join lateral pg_temp.calls(pg_temp.event(jsonb_build_object('emittedAt', v.instant))) as c
where c.form = v.form;

select * from finish();
rollback;
