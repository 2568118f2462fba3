begin;
\ir ../_helpers/load.sql
select plan(3);

select is(
    (
        select a.run_seq from runstore.append_event(
            'run-1', 'RunStarted', now(), 'tenant-1', 'project-1', 'prod', 'plan', '1',
            p_payload => 'null', p_engine_run_ref => 'null'
        ) as a
    ),
    1::bigint,
    'an event whose payload and engine run ref are JSON null is stored'
);

select ok(
    (select e.payload is null and e.engine_run_ref is null from runstore.fetch_events('run-1') as e),
    'and both are absent from it'
);

select is(
    (
        select a.idempotent from runstore.append_event(
            'run-1', 'RunStarted', now(), 'tenant-1', 'project-1', 'prod', 'plan', '1', p_payload => 'null'
        ) as a
    )
    and not exists (select from runstore.alerts),
    true,
    'so that a retry with JSON null is the same event'
);

select * from finish();
rollback;
