begin;
select plan(2);

select set_eq(
    'select x.event_type, x.machine from runstore.event_effects as x',
    $$
    select t.event_type, (case t.step_rule when 'REQUIRED' then 'STEP' else 'RUN' end)::text collate "C"
    from runstore.event_types as t
    where not t.is_signal
    $$,
    'all known types but signals: those that need a step move a step, the others the run'
);
select is_empty(
    $$
    select x.event_type
    from runstore.event_effects as x
    left join runstore.statuses as s on x.machine = s.machine and x.target_status = s.status
    where s.status is null
    $$,
    'and the state that each means to reach exists'
);

select * from finish();
rollback;
