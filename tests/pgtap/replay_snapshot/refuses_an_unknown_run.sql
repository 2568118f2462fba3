begin;
\ir ../_helpers/load.sql
select plan(8);

select pg_temp.append();

select is(
    pg_temp.outcome(format('select runstore.replay_snapshot(%L, %L)', v.run_id, u.up_to_seq)),
    jsonb_strip_nulls(jsonb_build_object(
        'code', 'RS012', 'field', 'runId', 'value', v.run_id, 'expected', 'the id of a run'
    )),
    format('%s up to %s', coalesce(v.run_id, 'null'), coalesce(u.up_to_seq::text, 'null'))
)
from (values ('no such run'), ('RUN-1'), (''), (null)) as v (run_id)
cross join (values (null::bigint), (1)) as u (up_to_seq);

select * from finish();
rollback;
