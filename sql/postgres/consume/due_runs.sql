create table runstore.due_runs (
    due_since timestamptz not null,
    retry_at timestamptz,
    attempts int not null default 0,
    wants_resync boolean not null default false,
    run_id text collate "C" not null,
    consumer text collate "C" not null,
    constraint due_runs_pkey primary key (run_id, consumer)
);

create index due_runs_waiting on runstore.due_runs (consumer, due_since) where retry_at is null;
create index due_runs_retrying on runstore.due_runs (consumer, retry_at) where retry_at is not null;

comment on table runstore.due_runs is
'The runs that have events which a consumer has not seen. An append writes the row when run_counters.due_from_seq '
'says that there may be none; the consumer removes it, and clears that mark, under the run''s lock once it has seen '
'the run''s last event. Whoever works on a run for a consumer holds the lock of this row.';
comment on column runstore.due_runs.due_since is 'persisted_at of the first event that waits, as far as is known.';
comment on column runstore.due_runs.retry_at is 'Not before this time, after a failure; null when it is due now.';
comment on column runstore.due_runs.attempts is 'Failures in a row.';
comment on column runstore.due_runs.wants_resync is
'Whether it lags so far, or met a gap, that its next turn counts as a resync from the stored snapshot.';
comment on column runstore.due_runs.run_id is 'The run.';
comment on column runstore.due_runs.consumer is 'The consumer, a row of consumers.';
comment on index runstore.due_runs_pkey is 'One row per run and consumer.';
comment on index runstore.due_runs_waiting is 'A consumer''s due runs, the longest waiting first.';
comment on index runstore.due_runs_retrying is 'A consumer''s runs that wait for another attempt.';
