begin;
select plan(3);

select is_empty(
    'select s.machine, s.code from runstore.statuses as s group by s.machine, s.code having count(*) > 1',
    'no two of a machine share one'
);
select is_empty($$ select s.* from runstore.statuses as s where s.code !~ '^[A-Z]$' $$, 'it is in upper case');
select set_eq(
    $$
    select s.machine::text collate "default" from runstore.statuses as s where s.status = 'PENDING' and s.code = 'P'
    $$,
    $$ values ('RUN'::text), ('STEP') $$,
    'and P is where both machines begin'
);

select * from finish();
rollback;
