-- Takes back 0007.append_event.
drop function runstore.append_event(
    text, text, timestamptz, text, text, text, text, text, int, int, text, uuid, text, jsonb, text, jsonb,
    uuid, uuid
);
drop function runstore.stamp_again(text);
drop function runstore.give_back_seq(text, bigint);
drop function runstore.alert_conflict(text, text, bytea, text, text, jsonb, uuid);
drop function runstore.differing_fields(text, text, text, text, jsonb, jsonb, uuid, uuid);
drop function runstore.idempotency_key(text, text, int, text, text, text);
drop function runstore.idempotency_key_octets(text, text, int, text, text, text);
drop type runstore.append_result;
