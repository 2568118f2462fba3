begin;
\ir ../_helpers/load.sql
select plan(3);

create function pg_temp.custom_events(p_from int, p_to int) returns jsonb language sql immutable as $$
    select jsonb_agg(
        pg_temp.event(jsonb_build_object('eventType', 'Custom', 'logicalAttemptId', n)) order by n
    )
    from generate_series(p_from, p_to) as n
$$;

select runstore.append_events(pg_temp.custom_events(1, 2500));
select is(runstore.project_pending(), 1::bigint, 'from nothing');
select runstore.append_events(pg_temp.custom_events(2501, 5000));
select is(runstore.project_pending(), 1::bigint, 'and from its snapshot');
select is(runstore.get_snapshot('run-1') -> 'lastEventSeq', '5000'::jsonb, 'to its last event');

select * from finish();
rollback;
