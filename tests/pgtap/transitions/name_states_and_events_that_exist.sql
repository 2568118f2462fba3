begin;
select plan(3);

select is_empty(
    $$
    select t.*
    from runstore.transitions as t
    left join runstore.statuses as f on t.machine = f.machine and t.from_status = f.status
    left join runstore.statuses as n on t.machine = n.machine and t.to_status = n.status
    where f.status is null or n.status is null
    $$,
    'the states of their machine'
);
select is_empty(
    $$
    select t.*
    from runstore.transitions as t
    left join runstore.event_effects as x on t.event_type = x.event_type and t.machine = x.machine
    where x.event_type is null
    $$,
    'the events of their machine'
);
select is_empty(
    $$
    select x.event_type
    from runstore.event_effects as x
    where not exists (
        select from runstore.transitions as t where t.event_type = x.event_type and t.to_status = x.target_status
    )
    $$,
    'and every event reaches what it means to reach'
);

select * from finish();
rollback;
