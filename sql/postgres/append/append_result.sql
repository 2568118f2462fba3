create type runstore.append_result as (
    event_id uuid,
    run_seq bigint,
    persisted_at timestamptz,
    idempotent boolean,
    persisted boolean
);

comment on type runstore.append_result is 'The answer to one appended event.';
comment on column runstore.append_result.event_id is 'Id of the stored event, the new or the earlier one.';
comment on column runstore.append_result.run_seq is 'Its position in the run.';
comment on column runstore.append_result.persisted_at is 'When the store took it.';
comment on column runstore.append_result.idempotent is
'True when the key was known: the answer is the earlier event''s.';
comment on column runstore.append_result.persisted is 'True when a row was written.';
