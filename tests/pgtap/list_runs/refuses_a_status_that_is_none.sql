begin;
\ir ../_helpers/load.sql
select plan(5);

select is(
    pg_temp.outcome(format('select * from runstore.list_runs(p_status => %L)', v.status)),
    jsonb_build_object(
        'code', 'RS010', 'field', 'status', 'value', v.status,
        'expected', 'APPROVED, CANCELLED, COMPLETED, FAILED, PAUSED, PENDING, RUNNING'
    ),
    v.status
)
from (values ('running'), (''), ('SUCCESS'), ('RUNNING '), ('QUEUED')) as v (status);

select * from finish();
rollback;
