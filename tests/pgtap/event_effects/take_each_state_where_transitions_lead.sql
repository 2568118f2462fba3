-- Each letter, upper case after an event that was applied and lower case after one that was refused.
begin;
select plan(2);

create temporary table expected as
select
    x.event_type,
    l.letter,
    coalesce(n.code, lower(s.code)) as becomes,
    translate(l.letter, x.from_codes, x.to_codes) as have
from runstore.event_effects as x
inner join runstore.statuses as s on x.machine = s.machine
cross join lateral (values (s.code), (lower(s.code))) as l (letter)
left join runstore.transitions as t
    on s.machine = t.machine and x.event_type = t.event_type and s.status = t.from_status
left join runstore.statuses as n on t.machine = n.machine and t.to_status = n.status;

select is_empty('select e.* from expected as e where e.have is distinct from e.becomes', 'where transitions lead');
select is_empty(
    $$
    select x.event_type, x.from_codes, x.to_codes
    from runstore.event_effects as x
    where
        length(x.from_codes) <> length(x.to_codes)
        or length(x.from_codes) <> 2 * (select count(*) from runstore.statuses as s where s.machine = x.machine)
        or length(x.from_codes) <> (
            select count(distinct l.letter) from regexp_split_to_table(x.from_codes, '') as l (letter)
        )
    $$,
    'every letter once, and nothing else'
);

select * from finish();
rollback;
