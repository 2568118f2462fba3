begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.append();

select is_empty(format('select * from runstore.fetch_events(%L)', v.run_id), coalesce(v.run_id, 'null'))
from (values ('no such run'), ('RUN-1'), (''), (null)) as v (run_id);

select * from finish();
rollback;
