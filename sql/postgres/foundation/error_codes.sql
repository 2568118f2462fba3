create table runstore.error_codes (
    code text collate "C" not null,
    name text collate "C" not null,
    meaning text not null,
    constraint error_codes_pkey primary key (code)
);

comment on table runstore.error_codes is 'Every error that runstore raises, one row each.';
comment on column runstore.error_codes.code is 'SQLSTATE; callers branch on it.';
comment on column runstore.error_codes.name is 'Name that opens the message.';
comment on column runstore.error_codes.meaning is 'When it is raised.';
comment on index runstore.error_codes_pkey is 'One row per SQLSTATE.';

insert into runstore.error_codes (code, name, meaning) values
('RS001', 'INVALID_EVENT', 'A field of an event is missing or malformed.'),
('RS002', 'RUN_IDENTITY_MISMATCH', 'The run exists under another tenant, project or environment.'),
('RS003', 'EVENT_ID_REUSED', 'The event id is already another event of this run.'),
('RS004', 'INVALID_TRANSITION', 'The state of the run or step does not allow the event, and transitions are enforced.'),
('RS005', 'PAYLOAD_TOO_LARGE', 'A payload, engine run reference or signal is over its size limit.'),
('RS006', 'SIGNAL_RATE_EXCEEDED', 'The run has had its signals for this minute.'),
('RS009', 'APPEND_ONLY', 'The log was to be updated, deleted from or truncated.'),
('RS010', 'INVALID_ARGUMENT', 'A limit, watermark, name, key or value is not acceptable.'),
('RS012', 'RUN_NOT_FOUND', 'There is no such run, or it is another tenant''s.'),
('RS013', 'TENANT_FORBIDDEN', 'The login is bound to other tenants.');
