create table runstore.alert_codes (
    code text collate "C" not null,
    severity text collate "C" not null,
    meaning text not null,
    constraint alert_codes_pkey primary key (code),
    constraint alert_codes_severity check (severity in ('P1', 'P2', 'P3'))
);

comment on table runstore.alert_codes is 'Every alert that runstore raises, one row each.';
comment on column runstore.alert_codes.code is 'Name of the alert.';
comment on column runstore.alert_codes.severity is 'P1 (now), P2 (today) or P3 (look into it).';
comment on column runstore.alert_codes.meaning is 'What has happened.';
comment on index runstore.alert_codes_pkey is 'One row per alert code.';

insert into runstore.alert_codes (code, severity, meaning) values
(
    'IDEMPOTENCY_CONFLICT', 'P3',
    'An event came again under the key of a stored one, but with another type, step, payload or causing signal.'
),
('INVALID_TRANSITION', 'P3', 'The state of a run or step did not allow an event; it was stored and changed nothing.'),
('PROJECTION_FAILED', 'P2', 'Folding a run''s log failed; its snapshot is stale until a later attempt succeeds.'),
('PROJECTOR_GAP_DETECTED', 'P1', 'An event is missing from a run''s log; its snapshot stands still before the gap.'),
('PROJECTOR_LAG_HIGH', 'P2', 'Events wait longer than lag_alert_ms for their projection.');
