-- The keys that a RunEventWrite may have in its JSON form. Inlined as a constant.
create function runstore.event_keys()
returns text[]
language sql immutable parallel safe
return (
    array[
        'runId', 'eventType', 'emittedAt', 'tenantId', 'projectId', 'environmentId', 'planId', 'planVersion',
        'engineAttemptId', 'logicalAttemptId', 'idempotencyKey', 'eventId', 'stepId', 'payload', 'adapterVersion',
        'engineRunRef', 'causedBySignalId', 'parentEventId'
    ]
);

comment on function runstore.event_keys() is 'The keys that an event may have in its JSON form.';

revoke all on function runstore.event_keys() from public;
