begin;
select plan(2);

select is(
    runstore.idempotency_key(repeat('r', 100000), repeat('s', 255), 2147483647, 'StepFailed', repeat('p', 9999), '1'),
    '6c9afd0579db08c546b572af19570a1f16cf88bce2646e804602636f496efe1c'::text,
    'ASCII'
);
select is(
    runstore.idempotency_key(repeat('😀', 70000), null, 1, 'RunStarted', 'p', '1'),
    '5399a599f339c134dd69ba2a1ede97a8e566bbb4301e853614ec520cdf20e4f9'::text,
    'four octets per character'
);

select * from finish();
rollback;
