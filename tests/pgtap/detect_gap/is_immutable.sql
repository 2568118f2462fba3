begin;
select plan(1);

select volatility_is('runstore', 'detect_gap', array['bigint', 'bigint'], 'immutable');

select * from finish();
rollback;
