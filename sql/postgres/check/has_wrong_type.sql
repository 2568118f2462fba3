-- Whether some field of an event in JSON form has another JSON type than event_fields says; null counts as absent. A
-- pattern rather than a join with that table, because every event of every batch is asked; a test compares the two.
-- Inlined.
create function runstore.has_wrong_type(p_event jsonb)
returns boolean
language sql immutable parallel safe
return (
    p_event @? '$ ? (
        (@.runId.type() != "string" && @.runId != null)
        || (@.eventType.type() != "string" && @.eventType != null)
        || (@.emittedAt.type() != "string" && @.emittedAt != null)
        || (@.tenantId.type() != "string" && @.tenantId != null)
        || (@.projectId.type() != "string" && @.projectId != null)
        || (@.environmentId.type() != "string" && @.environmentId != null)
        || (@.planId.type() != "string" && @.planId != null)
        || (@.planVersion.type() != "string" && @.planVersion != null)
        || (@.idempotencyKey.type() != "string" && @.idempotencyKey != null)
        || (@.eventId.type() != "string" && @.eventId != null)
        || (@.stepId.type() != "string" && @.stepId != null)
        || (@.adapterVersion.type() != "string" && @.adapterVersion != null)
        || (@.causedBySignalId.type() != "string" && @.causedBySignalId != null)
        || (@.parentEventId.type() != "string" && @.parentEventId != null)
        || (@.engineAttemptId.type() != "number" && @.engineAttemptId != null)
        || (@.logicalAttemptId.type() != "number" && @.logicalAttemptId != null)
        || (@.payload.type() != "object" && @.payload != null)
        || (@.engineRunRef.type() != "object" && @.engineRunRef != null)
    )'
);

comment on function runstore.has_wrong_type(jsonb) is
'Whether some field of an event in JSON form has the wrong JSON type.';

revoke all on function runstore.has_wrong_type(jsonb) from public;
