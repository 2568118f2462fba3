begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.stop_clock('2026-03-01 12:00:00.000001+00');

select is(
    to_jsonb(a),
    jsonb_build_object(
        'event_id', pg_temp.id(n), 'run_seq', n, 'persisted_at', '2026-03-01 12:00:00.000001+00'::timestamptz,
        'idempotent', false, 'persisted', true
    ),
    format('event %s', n)
)
from generate_series(1, 3) as n
cross join lateral pg_temp.append(jsonb_build_object('eventId', pg_temp.id(n), 'logicalAttemptId', n)) as a;

select results_eq(
    $$
    select a.attname::text collate "default", format_type(a.atttypid, a.atttypmod)
    from pg_attribute as a
    where a.attrelid = 'runstore.append_result'::regclass and a.attnum > 0
    order by a.attnum
    $$,
    $$ values
    ('event_id'::text, 'uuid'::text),
    ('run_seq', 'bigint'),
    ('persisted_at', 'timestamp with time zone'),
    ('idempotent', 'boolean'),
    ('persisted', 'boolean')
    $$,
    'the columns of the answer'
);

select * from finish();
rollback;
