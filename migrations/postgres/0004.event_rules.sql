-- The rules that one event by itself must keep, as rows.
-- depends: 0003.log

create table runstore.event_types (
    event_type text collate "C" not null,
    step_rule text collate "C" not null,
    is_signal boolean not null default false,
    constraint event_types_pkey primary key (event_type),
    constraint event_types_step_rule check (step_rule in ('REQUIRED', 'FORBIDDEN', 'OPTIONAL'))
);

comment on table runstore.event_types is
'The event types that the store has rules for. Types that are not here are stored all the same.';
comment on column runstore.event_types.event_type is 'Name of the type.';
comment on column runstore.event_types.step_rule is 'Whether an event of this type names a step.';
comment on column runstore.event_types.is_signal is
'Whether the signal limits apply. The index run_events_signals names the same types.';
comment on index runstore.event_types_pkey is 'One row per type.';

insert into runstore.event_types (event_type, step_rule, is_signal) values
('RunQueued', 'FORBIDDEN', false),
('RunApproved', 'FORBIDDEN', false),
('RunStarted', 'FORBIDDEN', false),
('RunPaused', 'FORBIDDEN', false),
('RunResumed', 'FORBIDDEN', false),
('RunCompleted', 'FORBIDDEN', false),
('RunFailed', 'FORBIDDEN', false),
('RunCancelled', 'FORBIDDEN', false),
('StepStarted', 'REQUIRED', false),
('StepCompleted', 'REQUIRED', false),
('StepFailed', 'REQUIRED', false),
('StepSkipped', 'REQUIRED', false),
('SignalAccepted', 'OPTIONAL', true),
('SignalRejected', 'OPTIONAL', true);

create table runstore.event_rules (
    rule text collate "C" not null,
    code text collate "C" not null,
    field text collate "C",
    expected text not null,
    hint text not null,
    shows_value boolean not null default true,
    constraint event_rules_pkey primary key (rule)
);

comment on table runstore.event_rules is
'The rules for one event by itself: what is told to a producer whose event breaks one. event_fault() and '
'parse_events() name the rule.';
comment on column runstore.event_rules.rule is 'Name of the rule.';
comment on column runstore.event_rules.code is 'SQLSTATE of the refusal.';
comment on column runstore.event_rules.field is
'Field at fault, in camelCase; null for an unknown key, which is its own name.';
comment on column runstore.event_rules.expected is 'What would have been accepted; %s stands for a limit from config.';
comment on column runstore.event_rules.hint is 'What to do.';
comment on column runstore.event_rules.shows_value is
'Whether the refusal may quote the value: false for payload content.';
comment on index runstore.event_rules_pkey is 'One row per rule.';

insert into runstore.event_rules (rule, code, field, expected, hint, shows_value) values
(
    'event', 'RS001', 'event', 'a JSON object',
    'Send one RunEventWrite as a JSON object.', false
),
(
    'unknownKey', 'RS001', null, 'a field of RunEventWrite',
    'Remove the key, or put its content into the payload.', false
),
(
    'authority.runSeq', 'RS001', 'runSeq', 'no such key: the store assigns it',
    'Leave runSeq out; the answer brings it.', true
),
(
    'authority.persistedAt', 'RS001', 'persistedAt', 'no such key: the store assigns it',
    'Leave persistedAt out; the answer brings it.', true
),
(
    'runId', 'RS001', 'runId', 'a string of 1 to 255 characters without "|"',
    'Give the run a non-empty id of at most 255 characters.', true
),
(
    'eventType', 'RS001', 'eventType', 'a string of 1 to 255 characters without "|"',
    'Name the type of the event, for example StepCompleted.', true
),
(
    'emittedAt', 'RS001', 'emittedAt',
    'a finite time in the years 0001 to 9999, in JSON as RFC 3339 with T, Z or an offset and at most six '
    'fraction digits',
    'Send the producer''s time, for example 2026-02-16T09:30:00.123456Z.', true
),
(
    'tenantId', 'RS001', 'tenantId', 'a string of 1 to 255 characters without "|"',
    'Name the tenant that the run belongs to.', true
),
(
    'projectId', 'RS001', 'projectId', 'a string of 1 to 255 characters without "|"',
    'Name the project that the run belongs to.', true
),
(
    'environmentId', 'RS001', 'environmentId', 'a string of 1 to 255 characters without "|"',
    'Name the environment that the run belongs to.', true
),
(
    'planId', 'RS001', 'planId', 'a string of 1 to 255 characters without "|"',
    'Name the plan that the run follows.', true
),
(
    'planVersion', 'RS001', 'planVersion', 'a string of 1 to 255 characters without "|"',
    'Name the version of the plan, as a string.', true
),
(
    'engineAttemptId', 'RS001', 'engineAttemptId', 'an integer from 1 to 2147483647',
    'Count attempts from 1; leave the field out where the runtime has no count.', true
),
(
    'logicalAttemptId', 'RS001', 'logicalAttemptId', 'an integer from 1 to 2147483647',
    'Count attempts from 1; leave the field out for the first.', true
),
(
    'idempotencyKey', 'RS001', 'idempotencyKey', '64 hex digits',
    'Send a SHA-256 in hex, or leave the key out and the store computes it.', true
),
(
    'eventId', 'RS001', 'eventId', 'a UUID v4',
    'Send a random (version 4) UUID, or leave it out and the store makes one.', true
),
(
    'stepId', 'RS001', 'stepId', 'a string of 1 to 255 characters without "|", other than RUN',
    'Rename the step; RUN stands for the run itself in idempotency keys.', true
),
(
    'stepRequired', 'RS001', 'stepId', 'a step id, because the event is about a step',
    'Name the step, or use an event type that is about the run.', true
),
(
    'stepForbidden', 'RS001', 'stepId', 'no step id, because the event is about the run',
    'Leave the step out, or use an event type that is about a step.', true
),
(
    'payload', 'RS001', 'payload', 'a JSON object',
    'Wrap the content in a JSON object, or leave the payload out.', false
),
(
    'payloadSize', 'RS005', 'payload', 'at most %s octets of JSON text',
    'Store the content elsewhere and send a pointer in artifactRefs.', false
),
(
    'signalSize', 'RS005', 'payload', 'at most %s octets of JSON text in a signal',
    'Store the content elsewhere and send a pointer in artifactRefs.', false
),
(
    'artifactRefs', 'RS001', 'payload.artifactRefs',
    'an array of objects with non-empty strings uri (no data: uri) and kind, optionally sha256 and expiresAt '
    '(strings) and sizeBytes (a number from 0), and no other key',
    'Send pointers to artifacts, never their content.', false
),
(
    'adapterVersion', 'RS001', 'adapterVersion', 'a string of 1 to 255 characters without "|"',
    'Name the adapter''s version, or leave it out.', true
),
(
    'engineRunRef', 'RS001', 'engineRunRef', 'a JSON object',
    'Wrap the reference in a JSON object, or leave it out.', false
),
(
    'engineRunRefSize', 'RS005', 'engineRunRef', 'at most %s octets of JSON text',
    'Keep only what names the run in the engine.', false
),
(
    'causedBySignalId', 'RS001', 'causedBySignalId', 'a UUID',
    'Send the signal''s UUID as 8-4-4-4-12 hex digits, or leave it out.', true
),
(
    'parentEventId', 'RS001', 'parentEventId', 'a UUID',
    'Send the parent event''s UUID as 8-4-4-4-12 hex digits, or leave it out.', true
);

create table runstore.event_fields (
    field text collate "C" not null,
    json_type text collate "C",
    constraint event_fields_pkey primary key (field)
);

comment on table runstore.event_fields is
'The fields of an event in its JSON form. Each has a rule of its name in event_rules.';
comment on column runstore.event_fields.field is 'Key in the JSON object.';
comment on column runstore.event_fields.json_type is
'JSON type of its value; null where event_fault() judges the value whatever its type.';
comment on index runstore.event_fields_pkey is 'One row per field.';

insert into runstore.event_fields (field, json_type) values
('runId', 'string'),
('eventType', 'string'),
('emittedAt', 'string'),
('tenantId', 'string'),
('projectId', 'string'),
('environmentId', 'string'),
('planId', 'string'),
('planVersion', 'string'),
('idempotencyKey', 'string'),
('eventId', 'string'),
('stepId', 'string'),
('adapterVersion', 'string'),
('causedBySignalId', 'string'),
('parentEventId', 'string'),
('engineAttemptId', 'number'),
('logicalAttemptId', 'number'),
('payload', null),
('engineRunRef', null);

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
