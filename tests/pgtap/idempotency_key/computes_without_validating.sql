begin;
select plan(4);

select is(
    runstore.idempotency_key('', '', 0, '', '', ''),
    '4bcd88f2e2d05d21f8966852c785167a5ee6ed4ace5baeced704c2f51cc1cc9c'::text,
    'empty texts'
);
select is(
    runstore.idempotency_key('a|b', 'c', 1, 't', 'p', '1'),
    '1f52d836c4920f64ab77392bec778e019511aa0b98f21e3419b7f91eeff34014'::text,
    'a bar in an id'
);
select is(
    runstore.idempotency_key('r', 'RUN', 1, 't', 'p', '1'),
    'd291a7eff9753098e0953a7de76e2e8225198d8b88b67480b383c30c72fc75ad'::text,
    'a step of the name RUN'
);
select is(
    runstore.idempotency_key('r', 's', -2147483648, 't', 'p', '1'),
    '74ae3110f401021797a37d5189f2e826b977124f5ed5866030e745f286bac63f'::text,
    'a negative attempt'
);

select * from finish();
rollback;
