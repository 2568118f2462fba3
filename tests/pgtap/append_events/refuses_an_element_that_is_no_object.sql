begin;
\ir ../_helpers/load.sql
select plan(14);

select is(
    pg_temp.outcome(format(
        'select runstore.append_events(%L)', jsonb_build_array(pg_temp.event(), v.element, pg_temp.event(), v.element)
    )) - 'expected',
    '{"code": "RS001", "field": "event", "index": 1}'::jsonb,
    v.element::text
)
from (values ('null'::jsonb), ('[]'), ('[null]'), ('"text"'), ('""'), ('1'), ('true')) as v (element);

select matches(
    pg_temp.error(format('select runstore.append_events(%L)', jsonb_build_array(pg_temp.event(), v.element)))
        ->> 'message',
    '^INVALID_EVENT: event 1 of the batch: event is refused: expected a JSON object$',
    'the message names the place too'
)
from (values ('null'::jsonb), ('[]'), ('[null]'), ('"text"'), ('""'), ('1'), ('true')) as v (element);

select * from finish();
rollback;
