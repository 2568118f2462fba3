begin;
\ir ../_helpers/load.sql
select plan(10);

create temporary table refusal (changes jsonb, message text, hint text);
insert into refusal values
(
    '{"planVersion": "a|b"}',
    'INVALID_EVENT: planVersion "a|b" is refused: expected a string of 1 to 255 characters without "|"',
    'Name the version of the plan, as a string.'
),
(
    '{"tenantId": null}',
    'INVALID_EVENT: tenantId is missing: expected a string of 1 to 255 characters without "|"',
    'Name the tenant that the run belongs to.'
),
(
    '{"eventType": "StepStarted"}',
    'INVALID_EVENT: stepId is missing: expected a step id, because the event is about a step',
    'Name the step, or use an event type that is about the run.'
),
(
    '{"runSeq": 1}',
    'INVALID_EVENT: runSeq "1" is refused: expected no such key: the store assigns it',
    'Leave runSeq out; the answer brings it.'
),
(
    '{"payload": "secret"}',
    'INVALID_EVENT: payload is refused: expected a JSON object',
    'Wrap the content in a JSON object, or leave the payload out.'
);

select is(pg_temp.error(format('select pg_temp.append(%L)', r.changes)) ->> 'message', r.message, 'its message')
from refusal as r;
select is(pg_temp.error(format('select pg_temp.append(%L)', r.changes)) ->> 'hint', r.hint, 'its hint')
from refusal as r;

select * from finish();
rollback;
