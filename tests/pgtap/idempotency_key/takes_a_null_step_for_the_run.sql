begin;
select plan(2);

select is(
    runstore.idempotency_key('r', null, 3, 'RunPaused', 'p', '1'),
    '16e6400404ca639c990034e32adb42ccafb93ae6104f138b1d806240033ed63c'::text,
    'a null step is RUN'
);
select isnt(
    runstore.idempotency_key('r', '', 3, 'RunPaused', 'p', '1'),
    runstore.idempotency_key('r', null, 3, 'RunPaused', 'p', '1'),
    'an empty step is not'
);

select * from finish();
rollback;
