begin;
select plan(5);

select is(runstore.idempotency_key(null, 's', 1, 't', 'p', '1'), null::text, 'run id');
select is(runstore.idempotency_key('r', 's', null, 't', 'p', '1'), null::text, 'logical attempt');
select is(runstore.idempotency_key('r', 's', 1, null, 'p', '1'), null::text, 'event type');
select is(runstore.idempotency_key('r', 's', 1, 't', null, '1'), null::text, 'plan id');
select is(runstore.idempotency_key('r', 's', 1, 't', 'p', null), null::text, 'plan version');

select * from finish();
rollback;
