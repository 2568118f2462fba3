create table runstore.consumers (
    name text collate "C" not null,
    is_active boolean not null,
    min_retry interval not null,
    max_retry interval not null,
    constraint consumers_pkey primary key (name)
);

comment on table runstore.consumers is
'Everything that follows the log. Each consumer that is active has a row in due_runs for every run with events that it '
'has not seen.';
comment on column runstore.consumers.name is 'Name of the consumer.';
comment on column runstore.consumers.is_active is 'Whether appends note runs as due for it.';
comment on column runstore.consumers.min_retry is
'Wait after the first failure with a run; each further one doubles it.';
comment on column runstore.consumers.max_retry is 'Longest wait between attempts.';
comment on index runstore.consumers_pkey is 'One row per consumer.';

insert into runstore.consumers (name, is_active, min_retry, max_retry) values
('projector', true, interval '1 second', interval '30 seconds');
