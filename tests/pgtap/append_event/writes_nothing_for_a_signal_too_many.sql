begin;
\ir ../_helpers/load.sql
select plan(1);

select runstore.set_config_value('max_signals_per_minute', '1');
select pg_temp.append('{"eventType": "SignalAccepted"}');
create temporary table before as select pg_temp.contents() as contents;
create temporary table refused as
select pg_temp.outcome(c.statement) from pg_temp.calls(pg_temp.event('{"eventType": "SignalRejected"}')) as c;

select is(pg_temp.contents(), (select b.contents from before as b));

select * from finish();
rollback;
