begin;
\ir ../_helpers/load.sql
select plan(1);

select set_eq(
    'select f.field::text collate "default" from runstore.event_fields as f',
    'select a.field from pg_temp.arguments(''{}'') as a'
);

select * from finish();
rollback;
