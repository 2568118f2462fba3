begin;
\ir ../_helpers/load.sql
select plan(2);

insert into runstore.consumers (name, is_active, min_retry, max_retry) values
('outbox', true, '1 second', '30 seconds');
select pg_temp.append();
delete from runstore.due_runs as d where d.consumer = 'projector';

select is(runstore.project_pending(), 0::bigint, 'nothing is due for the projector');
select is((select count(*) from runstore.due_runs), 1::bigint, 'and the other note stays');

select * from finish();
rollback;
