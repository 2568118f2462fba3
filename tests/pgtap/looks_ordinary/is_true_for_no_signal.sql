begin;
\ir ../_helpers/load.sql
select plan(1);

select is_empty($$
    select t.event_type
    from runstore.event_types as t
    cross join (values (null), ('load')) as s (step_id)
    where t.is_signal
    and runstore.looks_ordinary(
        concat_ws('|', 'r', t.event_type, 't', 'p', 'e', 'plan', '1', coalesce(s.step_id, '-'), '-'),
        t.event_type, now(), 1, 1, '\x00', pg_temp.id(1), s.step_id, null, null, 1000
    ) is true
$$);

select * from finish();
rollback;
