begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.append();

select is(
    pg_temp.outcome(format('select runstore.replay_snapshot(%L, %s)', v.run_id, v.up_to_seq)),
    jsonb_build_object(
        'code', 'RS010', 'field', 'upToSeq', 'value', v.up_to_seq::text, 'expected', 'a whole number from 1'
    ),
    format('%s of %s', v.up_to_seq, v.run_id)
)
from (values
    ('run-1', 0::bigint), ('run-1', -1), ('run-1', -9223372036854775807), ('no such run', 0)
) as v (run_id, up_to_seq);

select * from finish();
rollback;
