begin;
\ir ../_helpers/load.sql
select plan(4);

select is(
    pg_temp.outcome($$ select runstore.set_config_value('enforce_transitions', 'true') $$),
    '{
        "code": "RS010", "field": "value", "value": "true",
        "expected": "enforce_transitions false, or projection_mode inline"
    }'::jsonb,
    'not while it is asynchronous'
);
select is(
    pg_temp.outcome($$ select runstore.set_config_value('enforce_transitions', 'false') $$), '{}', 'false always fits'
);

select runstore.set_config_value('projection_mode', 'inline');
select is(
    pg_temp.outcome($$ select runstore.set_config_value('enforce_transitions', 'true') $$),
    '{}',
    'but while it is inline'
);
select ok(c.enforce_transitions, 'and then they are enforced') from runstore.config as c;

select * from finish();
rollback;
