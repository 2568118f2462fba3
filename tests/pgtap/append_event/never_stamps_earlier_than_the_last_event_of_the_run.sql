begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append();
select pg_temp.stop_clock('2026-03-01 11:59:59.999999+00');

select is(
    pg_temp.rows_for(session_user, replace(c.statement, 'the-key', pg_temp.key(row_number() over ()::int)))
        #>> '{0, persisted_at}',
    to_jsonb('2026-03-01 12:00:00+00'::timestamptz) #>> '{}',
    format('the clock has stepped back, %s form', c.form)
)
from pg_temp.calls(pg_temp.event('{"eventType": "RunPaused", "idempotencyKey": "the-key"}')) as c;

select * from finish();
rollback;
