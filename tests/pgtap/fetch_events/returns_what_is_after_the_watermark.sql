begin;
\ir ../_helpers/load.sql
select plan(6);

select pg_temp.append(jsonb_build_object('eventType', 'Custom', 'logicalAttemptId', n)) from generate_series(1, 5) as n;

select is(
    array(select e.run_seq from runstore.fetch_events('run-1', v.after_seq) as e),
    v.seqs,
    format('after %s', v.after_seq)
)
from (values
    (0::bigint, '{1,2,3,4,5}'::bigint[]), (1, '{2,3,4,5}'), (4, '{5}'), (5, '{}'), (6, '{}'),
    (9223372036854775807, '{}')
) as v (after_seq, seqs);

select * from finish();
rollback;
