begin;
\ir ../_helpers/load.sql
select plan(5);

select pg_temp.append(jsonb_build_object('eventType', 'Custom', 'logicalAttemptId', n)) from generate_series(1, 5) as n;

select is(
    array(select e.run_seq from runstore.fetch_events('run-1', v.after_seq, v.row_limit) as e),
    v.seqs,
    format('%s after %s', v.row_limit, v.after_seq)
)
from (values
    (0::bigint, 1, '{1}'::bigint[]), (0, 2, '{1,2}'), (2, 2, '{3,4}'), (4, 2, '{5}'), (0, 10000, '{1,2,3,4,5}')
) as v (after_seq, row_limit, seqs);

select * from finish();
rollback;
