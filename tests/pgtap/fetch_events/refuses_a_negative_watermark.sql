begin;
\ir ../_helpers/load.sql
select plan(3);

select is(
    pg_temp.outcome(format('select * from runstore.fetch_events(%L, %s)', v.run_id, v.after_seq)) - 'expected',
    jsonb_build_object('code', 'RS010', 'field', 'afterSeq', 'value', v.after_seq::text),
    format('%s of %s', v.after_seq, v.run_id)
)
from (values ('run-1', -1::bigint), ('no such run', -1), ('run-1', -9223372036854775807)) as v (run_id, after_seq);

select * from finish();
rollback;
