begin;
\ir ../_helpers/load.sql
select plan(10);

select isnt(
    runstore.looks_ordinary(
        'r|RunStarted|t|p|e|plan|1|-|-', 'RunStarted', v.emitted_at, v.engine_attempt_id, v.logical_attempt_id, v.key,
        v.event_id, null, null, null, 1000
    ),
    true,
    v.what
)
from (values
    ('no time', null::timestamptz, 1, 1, '\x00'::bytea, pg_temp.id(1)),
    ('infinity', 'infinity', 1, 1, '\x00', pg_temp.id(1)),
    ('-infinity', '-infinity', 1, 1, '\x00', pg_temp.id(1)),
    ('year 10000', '10000-01-01 00:00:00+00', 1, 1, '\x00', pg_temp.id(1)),
    ('before the year 1', '0001-12-31 23:59:59+00 BC', 1, 1, '\x00', pg_temp.id(1)),
    ('engine attempt', now(), 0, 1, '\x00', pg_temp.id(1)),
    ('logical attempt', now(), 1, 0, '\x00', pg_temp.id(1)),
    ('malformed key', now(), 1, 1, null, pg_temp.id(1)),
    ('UUID v1', now(), 1, 1, '\x00', '6ba7b810-9dad-11d1-80b4-00c04fd430c8'),
    ('other variant', now(), 1, 1, '\x00', '0d3c6a9e-4f0c-4a8e-cd5d-3d4c0f7dbb8a')
) as v (what, emitted_at, engine_attempt_id, logical_attempt_id, key, event_id);

select * from finish();
rollback;
