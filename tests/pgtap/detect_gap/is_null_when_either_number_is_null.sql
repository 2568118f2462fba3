begin;
select plan(3);

select is(runstore.detect_gap(null, 2), null, 'the last');
select is(runstore.detect_gap(1, null), null, 'the next');
select is(runstore.detect_gap(null, null), null, 'both');

select * from finish();
rollback;
