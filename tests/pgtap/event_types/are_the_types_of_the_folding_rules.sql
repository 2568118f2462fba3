begin;
select plan(1);

select set_eq(
    $$
    select t.event_type::text collate "default", t.step_rule::text collate "default", t.is_signal
    from runstore.event_types as t
    $$,
    $$ values
    ('RunQueued', 'FORBIDDEN', false), ('RunApproved', 'FORBIDDEN', false), ('RunStarted', 'FORBIDDEN', false),
    ('RunPaused', 'FORBIDDEN', false), ('RunResumed', 'FORBIDDEN', false), ('RunCompleted', 'FORBIDDEN', false),
    ('RunFailed', 'FORBIDDEN', false), ('RunCancelled', 'FORBIDDEN', false), ('StepStarted', 'REQUIRED', false),
    ('StepCompleted', 'REQUIRED', false), ('StepFailed', 'REQUIRED', false), ('StepSkipped', 'REQUIRED', false),
    ('SignalAccepted', 'OPTIONAL', true), ('SignalRejected', 'OPTIONAL', true)
    $$
);

select * from finish();
rollback;
