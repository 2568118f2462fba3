begin;
\ir ../_helpers/load.sql
select plan(5);

select pg_temp.append_types('run-1', 'RunStarted', 'StepStarted', 'StepCompleted', 'RunCompleted');

select is(
    runstore.replay_snapshot('run-1', v.up_to_seq) -> 'lastEventSeq', '4'::jsonb, coalesce(v.up_to_seq::text, 'null')
)
from (values (4::bigint), (5), (9223372036854775807), (null)) as v (up_to_seq);
select is(runstore.replay_snapshot('run-1') -> 'lastEventSeq', '4'::jsonb, 'absent');

select * from finish();
rollback;
