begin;
select plan(1);

create temporary table rule (machine text, event_type text, from_statuses text[], to_status text);
insert into rule values
('RUN', 'RunApproved', '{PENDING}', 'APPROVED'),
('RUN', 'RunStarted', '{PENDING,APPROVED}', 'RUNNING'),
('RUN', 'RunPaused', '{RUNNING}', 'PAUSED'),
('RUN', 'RunResumed', '{PAUSED}', 'RUNNING'),
('RUN', 'RunCompleted', '{PENDING,APPROVED,RUNNING,PAUSED}', 'COMPLETED'),
('RUN', 'RunFailed', '{PENDING,APPROVED,RUNNING,PAUSED}', 'FAILED'),
('RUN', 'RunCancelled', '{PENDING,APPROVED,RUNNING,PAUSED}', 'CANCELLED'),
('RUN', 'RunQueued', '{PENDING}', 'PENDING'),
('RUN', 'RunQueued', '{APPROVED}', 'APPROVED'),
('RUN', 'RunQueued', '{RUNNING}', 'RUNNING'),
('RUN', 'RunQueued', '{PAUSED}', 'PAUSED'),
('STEP', 'StepStarted', '{PENDING}', 'RUNNING'),
('STEP', 'StepStarted', '{SUCCESS}', 'SUCCESS'),
('STEP', 'StepStarted', '{FAILED}', 'FAILED'),
('STEP', 'StepCompleted', '{PENDING,RUNNING}', 'SUCCESS'),
('STEP', 'StepFailed', '{PENDING,RUNNING}', 'FAILED'),
('STEP', 'StepSkipped', '{PENDING}', 'SKIPPED');

select set_eq(
    $$
    select
        t.machine::text collate "default", t.event_type::text collate "default", t.from_status::text collate "default",
        t.to_status::text collate "default"
    from runstore.transitions as t
    $$,
    $$
    select r.machine, r.event_type, f.status, r.to_status
    from rule as r
    cross join unnest(r.from_statuses) as f (status)
    $$
);

select * from finish();
rollback;
