begin;
select plan(1);

select volatility_is(
    'runstore', 'idempotency_key', array['text', 'text', 'integer', 'text', 'text', 'text'], 'immutable'
);

select * from finish();
rollback;
