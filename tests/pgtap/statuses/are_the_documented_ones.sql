begin;
select plan(1);

select set_eq(
    $$
    select s.machine::text collate "default", s.status::text collate "default", s.is_terminal
    from runstore.statuses as s
    $$,
    $$ values
    ('RUN', 'PENDING', false), ('RUN', 'APPROVED', false), ('RUN', 'RUNNING', false), ('RUN', 'PAUSED', false),
    ('RUN', 'COMPLETED', true), ('RUN', 'FAILED', true), ('RUN', 'CANCELLED', true),
    ('STEP', 'PENDING', false), ('STEP', 'RUNNING', false), ('STEP', 'SUCCESS', true), ('STEP', 'FAILED', true),
    ('STEP', 'SKIPPED', true)
    $$
);

select * from finish();
rollback;
