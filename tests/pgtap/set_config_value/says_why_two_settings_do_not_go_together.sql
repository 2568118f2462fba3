begin;
\ir ../_helpers/load.sql
select plan(1);

select is(
    pg_temp.error($$ select runstore.set_config_value('enforce_transitions', 'true') $$)
    - array['sqlstate', 'detail'],
    jsonb_build_object(
        'message',
        'INVALID_ARGUMENT: value ''true'' does not fit enforce_transitions: '
        'transitions can be enforced only while projection is inline',
        'hint',
        'Set projection_mode to inline before enforce_transitions to true, and take them back in the other order.'
    )
);

select * from finish();
rollback;
