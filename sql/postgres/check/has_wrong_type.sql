-- Whether some field of an event in JSON form has another JSON type than event_fields says; null counts as absent. A
-- pattern rather than a join with that table, because every event of every batch is asked; a test compares the two.
-- Inlined.
create function runstore.has_wrong_type(p_event jsonb)
returns boolean
language sql immutable parallel safe
return (
    p_event @? '$ ? (
        (@.runId.type() != "string" && @.runId.type() != "null")
        || (@.eventType.type() != "string" && @.eventType.type() != "null")
        || (@.emittedAt.type() != "string" && @.emittedAt.type() != "null")
        || (@.tenantId.type() != "string" && @.tenantId.type() != "null")
        || (@.projectId.type() != "string" && @.projectId.type() != "null")
        || (@.environmentId.type() != "string" && @.environmentId.type() != "null")
        || (@.planId.type() != "string" && @.planId.type() != "null")
        || (@.planVersion.type() != "string" && @.planVersion.type() != "null")
        || (@.idempotencyKey.type() != "string" && @.idempotencyKey.type() != "null")
        || (@.eventId.type() != "string" && @.eventId.type() != "null")
        || (@.stepId.type() != "string" && @.stepId.type() != "null")
        || (@.adapterVersion.type() != "string" && @.adapterVersion.type() != "null")
        || (@.causedBySignalId.type() != "string" && @.causedBySignalId.type() != "null")
        || (@.parentEventId.type() != "string" && @.parentEventId.type() != "null")
        || (@.engineAttemptId.type() != "number" && @.engineAttemptId.type() != "null")
        || (@.logicalAttemptId.type() != "number" && @.logicalAttemptId.type() != "null")
    )'
);

comment on function runstore.has_wrong_type(jsonb) is
'Whether some field of an event in JSON form has the wrong JSON type.';

revoke all on function runstore.has_wrong_type(jsonb) from public;
