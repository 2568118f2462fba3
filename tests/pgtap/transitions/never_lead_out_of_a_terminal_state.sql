begin;
select plan(2);

select set_eq(
    $$
    select
        t.event_type::text collate "default", t.from_status::text collate "default", t.to_status::text collate "default"
    from runstore.transitions as t
    inner join runstore.statuses as s on t.machine = s.machine and t.from_status = s.status
    where s.is_terminal
    $$,
    $$ values ('StepStarted'::text, 'SUCCESS'::text, 'SUCCESS'::text), ('StepStarted', 'FAILED', 'FAILED') $$,
    'a late StepStarted is all that they take, and it stays'
);
select is_empty(
    $$
    select s.machine, s.status
    from runstore.statuses as s
    where not s.is_terminal and not exists (
        select from runstore.transitions as t
        where t.machine = s.machine and t.from_status = s.status and t.to_status <> s.status
    )
    $$,
    'every other state has a way out'
);

select * from finish();
rollback;
