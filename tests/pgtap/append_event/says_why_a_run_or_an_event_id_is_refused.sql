begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.append(jsonb_build_object('eventId', pg_temp.id(1)));

select is(
    pg_temp.error(c.statement) - array['sqlstate', 'detail'],
    jsonb_build_object(
        'message',
        'RUN_IDENTITY_MISMATCH: ' || f.place || 'runId "run-1" exists under another tenant, project or environment',
        'hint',
        'Send the tenant, project and environment of the run''s first event, or choose another run id.'
    ),
    format('RS002, %s form', c.form)
)
from (values ('named', ''), ('batch', 'event 0 of the batch: ')) as f (form, place)
cross join lateral pg_temp.calls(pg_temp.event('{"tenantId": "other"}')) as c
where c.form = f.form;
select is(
    pg_temp.error(c.statement) - array['sqlstate', 'detail'],
    jsonb_build_object(
        'message',
        'EVENT_ID_REUSED: ' || f.place || 'eventId "00000000-0000-4000-8000-000000000001" is another event of this run',
        'hint',
        'Give each event an id of its own; a retry sends the idempotency key of the first try.'
    ),
    format('RS003, %s form', c.form)
)
from (values ('named', ''), ('batch', 'event 0 of the batch: ')) as f (form, place)
cross join lateral pg_temp.calls(
    pg_temp.event(jsonb_build_object('eventType', 'RunFailed', 'eventId', pg_temp.id(1)))
) as c
where c.form = f.form;

select * from finish();
rollback;
