begin;
\ir ../_helpers/load.sql
select plan(4);

select is(pg_temp.error(v.statement) ->> 'sqlstate', v.sqlstate, v.what)
from (values
    ('a malformed uuid', '22P02', $$
    select runstore.append_event('r', 'RunStarted', now(), 't', 'p', 'e', 'plan', '1', p_event_id => 'x')
    $$),
    ('a malformed time', '22007', $$
    select runstore.append_event('r', 'RunStarted', 'noon-ish', 't', 'p', 'e', 'plan', '1')
    $$),
    ('broken JSON', '22P02', $$ select runstore.append_event('{"runId": ') $$),
    ('a missing argument', '42883', $$ select runstore.append_event(p_run_id => 'r', p_event_type => 'RunStarted') $$)
) as v (what, sqlstate, statement);

select * from finish();
rollback;
