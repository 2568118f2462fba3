create type runstore.fold_span as (
    run_id text,
    from_seq bigint,
    to_seq bigint,
    known_seq bigint,
    next_seq bigint,
    gap_seq bigint,
    is_at_end boolean,
    step_ids text array
);

comment on type runstore.fold_span is 'The stretch of one run''s log that is to be folded. Internal.';
comment on column runstore.fold_span.run_id is 'The run.';
comment on column runstore.fold_span.from_seq is
'Where the fold begins: after this event, from the stored projection; 0 for the whole log, from nothing.';
comment on column runstore.fold_span.to_seq is 'The last event to fold; no event up to it is missing.';
comment on column runstore.fold_span.known_seq is
'Where the stored projection stands: refusals up to it have been reported.';
comment on column runstore.fold_span.next_seq is 'The first event after a gap; null when the log ends in the gap.';
comment on column runstore.fold_span.gap_seq is 'The first event that is missing; null when none is.';
comment on column runstore.fold_span.is_at_end is 'Whether to_seq is the run''s last event.';
comment on column runstore.fold_span.step_ids is 'The steps that the stretch names, when it begins at a projection.';
