begin;
\ir ../_helpers/load.sql
select plan(5);

select ok(c.log_is_followed, 'by the projector') from runstore.config as c;

select runstore.set_config_value('projection_mode', 'inline');
select ok(not c.log_is_followed, 'by nobody while projection is inline') from runstore.config as c;

select runstore.set_config_value('projection_mode', 'async');
select ok(c.log_is_followed, 'by the projector again') from runstore.config as c;

insert into runstore.consumers (name, is_active, min_retry, max_retry) values
('outbox', true, '1 second', '30 seconds');
select runstore.set_config_value('projection_mode', 'inline');
select ok(c.log_is_followed, 'by another consumer') from runstore.config as c;

update runstore.consumers as u set is_active = false where u.name = 'outbox';
select runstore.set_config_value('projection_mode', 'inline');
select ok(not c.log_is_followed, 'by nobody when that one is not active') from runstore.config as c;

select * from finish();
rollback;
