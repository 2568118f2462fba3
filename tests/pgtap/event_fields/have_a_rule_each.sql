begin;
select plan(1);

select is_empty(
    'select f.field from runstore.event_fields as f except select r.rule from runstore.event_rules as r'
);

select * from finish();
rollback;
