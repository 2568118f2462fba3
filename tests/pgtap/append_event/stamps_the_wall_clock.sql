begin;
\ir ../_helpers/load.sql
select plan(1);

select ok(
    a.persisted_at between clock_timestamp() - interval '1 minute' and clock_timestamp(), 'it is now'
)
from pg_temp.append() as a;

select * from finish();
rollback;
