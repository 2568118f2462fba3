begin;
select plan(1);

select is_empty(
    $$
    select k.key::text collate "default"
    from runstore.config_keys as k
    except
    select a.attname::text collate "default"
    from pg_attribute as a
    where a.attrelid = 'runstore.config'::regclass and a.attnum > 0 and not a.attisdropped
    $$
);

select * from finish();
rollback;
