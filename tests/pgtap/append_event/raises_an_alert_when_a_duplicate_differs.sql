begin;
\ir ../_helpers/load.sql
select plan(16);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');

create temporary table stored as
select pg_temp.append(jsonb_build_object(
    'runId', f.form || v.nth, 'eventType', 'Custom', 'stepId', 'load', 'payload', '{"rows": 1}'::jsonb,
    'causedBySignalId', pg_temp.id(9), 'idempotencyKey', pg_temp.key(1), 'eventId', pg_temp.id(1)
))
from unnest(array['named', 'positional', 'json', 'batch']) as f (form)
cross join generate_series(1, 4) as v (nth);

create temporary table difference (nth int, changes jsonb, differs jsonb);
insert into difference values
(1, '{"eventType": "Other"}', '["eventType"]'),
(2, '{"stepId": null}', '["stepId"]'),
(3, '{"payload": {"rows": 2}}', '["payload"]'),
(4, '{"eventType": "Other", "stepId": "x", "payload": null, "causedBySignalId": null}',
    '["eventType", "stepId", "payload", "causedBySignalId"]');

create temporary table again as
select pg_temp.outcome(c.statement)
from difference as d
cross join unnest(array['named', 'positional', 'json', 'batch']) as f (form)
cross join lateral pg_temp.calls(pg_temp.event(
    jsonb_build_object(
        'runId', f.form || d.nth, 'eventType', 'Custom', 'stepId', 'load', 'payload', '{"rows": 1}'::jsonb,
        'causedBySignalId', pg_temp.id(9), 'idempotencyKey', pg_temp.key(1)
    ) || d.changes
)) as c
where c.form = f.form;

select is(
    to_jsonb(a) - 'alert_id',
    jsonb_build_object(
        'code', 'IDEMPOTENCY_CONFLICT', 'severity', 'P3', 'run_id', f.form || d.nth, 'tenant_id', 'tenant-1',
        'event_id', pg_temp.id(1), 'run_seq', 1, 'details', jsonb_build_object('differs', d.differs),
        'raised_at', '2026-03-01 12:00:00+00'::timestamptz, 'last_seen_at', '2026-03-01 12:00:00+00'::timestamptz,
        'count', 1, 'acknowledged_at', null, 'resolved_at', null
    ),
    format('%s, %s form', d.differs, f.form)
)
from difference as d
cross join unnest(array['named', 'positional', 'json', 'batch']) as f (form)
left join runstore.alerts as a on a.run_id = f.form || d.nth;

select * from finish();
rollback;
