begin;
select plan(2);

select is(
    runstore.idempotency_key(
        '0d3c6a9e-4f0c-4a8e-9d5d-3d4c0f7dbb8a', 'model.orders', 1, 'StepStarted', 'plan_abc', '2'
    ),
    '7f4b974658a54fb2aee9ecb9cefebd2eec27f3fd01f0f8c0d031dfc4a5b96e3c'::text,
    'an event of a step'
);
select is(
    runstore.idempotency_key('0d3c6a9e-4f0c-4a8e-9d5d-3d4c0f7dbb8a', null, 1, 'RunStarted', 'plan_abc', '2'),
    '204197f81e5dc1a8491d8e411c440a730c51a741cd48a74863d3e5c4c452640d'::text,
    'an event of the run'
);

select * from finish();
rollback;
