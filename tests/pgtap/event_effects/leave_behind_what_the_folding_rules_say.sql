begin;
select plan(1);

select set_eq(
    $$
    select x.event_type::text collate "default", e.effect
    from runstore.event_effects as x
    cross join lateral (values
        (x.sets_started_at, 'startedAt'), (x.sets_completed_at, 'completedAt'),
        (x.takes_engine_run_ref, 'engineRunRef'), (x.takes_artifacts, 'artifacts'), (x.takes_error, 'error'),
        (x.takes_reason, 'reason')
    ) as e (has_it, effect)
    where e.has_it
    $$,
    $$ values
    ('RunStarted', 'startedAt'), ('RunStarted', 'engineRunRef'),
    ('RunCompleted', 'completedAt'), ('RunCompleted', 'artifacts'),
    ('RunFailed', 'completedAt'), ('RunFailed', 'error'),
    ('RunCancelled', 'completedAt'),
    ('StepStarted', 'startedAt'),
    ('StepCompleted', 'completedAt'), ('StepCompleted', 'artifacts'),
    ('StepFailed', 'completedAt'), ('StepFailed', 'artifacts'), ('StepFailed', 'error'),
    ('StepSkipped', 'completedAt'), ('StepSkipped', 'artifacts'), ('StepSkipped', 'reason')
    $$
);

select * from finish();
rollback;
