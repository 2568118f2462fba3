begin;
\ir ../_helpers/load.sql
select plan(1);

select results_eq(
    $$
    select a.run_seq, a.idempotent
    from runstore.append_events(jsonb_build_array(
        pg_temp.event(jsonb_build_object('idempotencyKey', pg_temp.key(1))),
        pg_temp.event(jsonb_build_object('idempotencyKey', upper(pg_temp.key(1)))),
        pg_temp.event(jsonb_build_object('idempotencyKey', pg_temp.key(2)))
    )) as a
    $$,
    $$ values (1::bigint, false), (1, true), (2, false) $$
);

select * from finish();
rollback;
