begin;
\ir ../_helpers/load.sql
select plan(4);

select runstore.append_events((
    select jsonb_agg(
        pg_temp.event(jsonb_build_object('eventType', 'Custom', 'logicalAttemptId', n)) order by n
    )
    from generate_series(1, 1001) as n
));

select is(
    (select array[count(*), min(e.run_seq), max(e.run_seq)] from runstore.fetch_events('run-1') as e),
    '{1000,1,1000}'::bigint[],
    'absent'
);
select is(
    (select array[count(*), min(e.run_seq), max(e.run_seq)] from runstore.fetch_events('run-1', null, null) as e),
    '{1000,1,1000}'::bigint[],
    'null'
);
select is(
    (select array[count(*), min(e.run_seq), max(e.run_seq)] from runstore.fetch_events('run-1', 1) as e),
    '{1000,2,1001}'::bigint[],
    'only the watermark'
);
select is(
    (select count(*) from runstore.fetch_events('run-1', p_limit => 1001)),
    1001::bigint,
    'only the limit'
);

select * from finish();
rollback;
