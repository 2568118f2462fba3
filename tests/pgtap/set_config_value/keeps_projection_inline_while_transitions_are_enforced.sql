begin;
\ir ../_helpers/load.sql
select plan(5);

select runstore.set_config_value('projection_mode', 'inline');
select runstore.set_config_value('enforce_transitions', 'true');

select is(
    pg_temp.outcome($$ select runstore.set_config_value('projection_mode', 'async') $$),
    '{
        "code": "RS010", "field": "value", "value": "async",
        "expected": "enforce_transitions false, or projection_mode inline"
    }'::jsonb,
    'async is refused'
);
select is(c.projection_mode, 'inline', 'and nothing is changed') from runstore.config as c;
select is(
    (select u.is_active from runstore.consumers as u where u.name = 'projector'), false, 'not for the projector either'
);
select is(
    pg_temp.outcome($$ select runstore.set_config_value('projection_mode', 'inline') $$),
    '{}',
    'inline again is no error'
);

select runstore.set_config_value('enforce_transitions', 'false');
select is(
    pg_temp.outcome($$ select runstore.set_config_value('projection_mode', 'async') $$),
    '{}',
    'async fits when they are not enforced any more'
);

select * from finish();
rollback;
