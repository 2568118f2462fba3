begin;
select plan(1);

select set_eq('select unnest(runstore.event_keys())', 'select f.field from runstore.event_fields as f');

select * from finish();
rollback;
