begin;
\ir ../_helpers/load.sql
select plan(1);

create temporary table before as select c.* from runstore.config as c;
create temporary table refused as
select pg_temp.outcome(v.statement)
from (values
    ($$ select runstore.set_config_value('max_payload_bytes', '0') $$),
    ($$ select runstore.set_config_value('nothing', '100') $$)
) as v (statement);

select results_eq('select * from runstore.config', 'select * from before');

select * from finish();
rollback;
