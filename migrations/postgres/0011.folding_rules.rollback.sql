-- Takes back 0011.folding_rules.
drop aggregate runstore.any_json(jsonb);
drop function runstore.keep_first(jsonb, jsonb);
drop aggregate runstore.walk(text, text);
drop table runstore.event_effects;
drop table runstore.transitions;
drop table runstore.statuses;

drop index runstore.alert_log_open_by_code;

delete from runstore.alert_codes
where code in ('INVALID_TRANSITION', 'PROJECTION_FAILED', 'PROJECTOR_GAP_DETECTED', 'PROJECTOR_LAG_HIGH');

delete from runstore.error_codes
where code in ('RS004', 'RS012');
