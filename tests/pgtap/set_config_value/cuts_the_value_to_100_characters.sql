begin;
\ir ../_helpers/load.sql
select plan(2);

select is(
    pg_temp.detail(format('select runstore.set_config_value(%L, %L)', repeat('é', 1000), '1')) ->> 'value',
    repeat('é', 100),
    'key'
);
select is(
    pg_temp.detail(format('select runstore.set_config_value(''max_payload_bytes'', %L)', repeat('1', 1000)))
        ->> 'value',
    repeat('1', 100),
    'value'
);

select * from finish();
rollback;
