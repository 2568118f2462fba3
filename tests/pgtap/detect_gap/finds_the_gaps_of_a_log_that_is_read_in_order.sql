begin;
\ir ../_helpers/load.sql
select plan(1);

select pg_temp.append_types('run-1', variadic array_fill('Custom'::text, array[8]));
select pg_temp.lose('run-1', 1, 4, 5, 7);

select results_eq(
    $$
    select w.run_seq
    from (
        select e.run_seq, lag(e.run_seq, 1, 0::bigint) over (order by e.run_seq) as last_seq
        from runstore.fetch_events('run-1') as e
    ) as w
    where runstore.detect_gap(w.last_seq, w.run_seq)
    $$,
    'values (2::bigint), (6), (8)'
);

select * from finish();
rollback;
