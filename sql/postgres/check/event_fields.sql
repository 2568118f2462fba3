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
