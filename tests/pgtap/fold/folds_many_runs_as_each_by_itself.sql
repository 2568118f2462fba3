-- Steps and attempts of the same names in every run; half of each from nothing, and the rest from a projection.
begin;
\ir ../_helpers/load.sql
select plan(2);

create function pg_temp.append_events(p_from int, p_to int) returns void language sql volatile as $$
    select runstore.append_events((
        select jsonb_agg(pg_temp.event(jsonb_strip_nulls(jsonb_build_object(
            'runId', 'run ' || r, 'eventType', e.event_type,
            'stepId', case when e.event_type like 'Step%' then 'step ' || (n + r) % 3 end,
            'logicalAttemptId', 1 + (r * n) % 3, 'engineAttemptId', n, 'idempotencyKey', pg_temp.key(n),
            'payload', jsonb_build_object('error', n, 'reason', r)
        ))) order by n, r)
        from generate_series(1, 12) as r
        cross join generate_series(p_from, p_to) as n
        cross join lateral (
            select ('{StepStarted,StepCompleted,RunStarted,StepFailed,RunPaused,StepSkipped,Custom}'::text[])[
                1 + (r * 5 + n * 3) % 7
            ]
        ) as e (event_type)
    ))
$$;

-- What is folded together and not by itself, or the other way round.
create function pg_temp.differences() returns setof runstore.folded language sql volatile as $$
    with span as (
        select s from runstore.fold_spans(array(select 'run ' || r from generate_series(1, 12) as r), false) as s
    ),

    together as (select f.* from runstore.fold(array(select p.s from span as p)) as f),

    apart as (select f.* from span as p cross join lateral runstore.fold(array[p.s]) as f)

    (select * from together except select * from apart)
    union all
    (select * from apart except select * from together)
$$;

select pg_temp.append_events(1, 20);
select is_empty('select * from pg_temp.differences()', 'from nothing');

select runstore.project_pending();
select pg_temp.append_events(21, 40);
select is_empty('select * from pg_temp.differences()', 'from a projection');

select * from finish();
rollback;
