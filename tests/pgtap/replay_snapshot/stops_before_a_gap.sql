begin;
\ir ../_helpers/load.sql
select plan(9);

select pg_temp.append_types('middle', 'RunStarted', 'RunPaused', 'RunResumed', 'RunCompleted');
select pg_temp.append_types('start', 'RunStarted', 'RunPaused', 'RunResumed', 'RunCompleted');
select pg_temp.append_types('end', 'RunStarted', 'RunPaused', 'RunResumed', 'RunCompleted');
select pg_temp.lose('middle', 3);
select pg_temp.lose('start', 1);
select pg_temp.lose('end', 3, 4);

select is(
    jsonb_build_array(s.j -> 'lastEventSeq', s.j -> 'status'),
    v.expected,
    format('%s up to %s', v.run_id, coalesce(v.up_to_seq::text, 'its end'))
)
from (values
    ('middle', null::bigint, '[2, "PAUSED"]'::jsonb),
    ('middle', 4, '[2, "PAUSED"]'),
    ('middle', 3, '[2, "PAUSED"]'),
    ('middle', 2, '[2, "PAUSED"]'),
    ('middle', 1, '[1, "RUNNING"]'),
    ('start', null, '[0, "PENDING"]'),
    ('start', 1, '[0, "PENDING"]'),
    ('end', null, '[2, "PAUSED"]'),
    ('end', 4, '[2, "PAUSED"]')
) as v (run_id, up_to_seq, expected)
cross join lateral runstore.replay_snapshot(v.run_id, v.up_to_seq) as s (j);

select * from finish();
rollback;
