begin;
\ir ../_helpers/load.sql
select plan(6);

create schema evil;
create function evil.no(text, text) returns boolean language plpgsql as $$ begin raise exception 'hijacked'; end $$;
create function evil.no(jsonb, jsonb) returns boolean language plpgsql as $$ begin raise exception 'hijacked'; end $$;
create function evil.no(int, int) returns boolean language plpgsql as $$ begin raise exception 'hijacked'; end $$;
create function evil.no(bytea, bytea) returns boolean language plpgsql as $$ begin raise exception 'hijacked'; end $$;
create function evil.no(timestamptz, timestamptz) returns boolean language plpgsql as $$
begin
    raise exception 'hijacked';
end
$$;
create function evil.add(text, text) returns text language plpgsql as $$ begin raise exception 'hijacked'; end $$;
create operator evil.= (leftarg = text, rightarg = text, function = evil.no);
create operator evil.<> (leftarg = text, rightarg = text, function = evil.no);
create operator evil.~ (leftarg = text, rightarg = text, function = evil.no);
create operator evil.!~ (leftarg = text, rightarg = text, function = evil.no);
create operator evil.|| (leftarg = text, rightarg = text, function = evil.add);
create operator evil.<> (leftarg = jsonb, rightarg = jsonb, function = evil.no);
create operator evil.< (leftarg = int, rightarg = int, function = evil.no);
create operator evil.> (leftarg = int, rightarg = int, function = evil.no);
create operator evil.= (leftarg = bytea, rightarg = bytea, function = evil.no);
create operator evil.< (leftarg = timestamptz, rightarg = timestamptz, function = evil.no);
create operator evil.>= (leftarg = timestamptz, rightarg = timestamptz, function = evil.no);

set local search_path = evil, pg_catalog;
select runstore.append_event('named', 'RunStarted', '2026-01-01', 't', 'p', 'e', 'plan', '1');
select runstore.append_event('named', 'RunStarted', '2026-01-01', 't', 'p', 'e', 'plan', '1', p_payload => '{"a": 1}');
select runstore.append_event('named', 'SignalAccepted', '2026-01-01', 't', 'p', 'e', 'plan', '1');
select runstore.append_event(
    '{
        "runId": "json", "eventType": "Custom", "emittedAt": "2026-01-01T00:00:00+02:00", "tenantId": "t",
        "projectId": "p", "environmentId": "e", "planId": "plan", "planVersion": "1",
        "payload": {"artifactRefs": [{"uri": "u", "kind": "k"}]}
    }'
);
select runstore.append_events(
    '[{
        "runId": "batch", "eventType": "SignalAccepted", "emittedAt": "2026-01-01T00:00:00Z", "tenantId": "t",
        "projectId": "p", "environmentId": "e", "planId": "plan", "planVersion": "1"
    }]'
);
create temporary table fetched as select * from runstore.fetch_events('named', 0, 10);
create temporary table key as select runstore.idempotency_key('r', null, 1, 't', 'p', '1') as key;
set local search_path = tap, public;

select is((select count(*) from runstore.fetch_events('named')), 2::bigint, 'named arguments');
select is((select count(*) from runstore.fetch_events('json')), 1::bigint, 'the JSON form');
select is((select count(*) from runstore.fetch_events('batch')), 1::bigint, 'a batch');
select is((select count(*) from runstore.alerts), 1::bigint, 'alerts');
select is((select count(*) from fetched), 2::bigint, 'fetch_events');
select is(
    (select k.key from key as k),
    'd291a7eff9753098e0953a7de76e2e8225198d8b88b67480b383c30c72fc75ad'::text,
    'idempotency_key'
);

select * from finish();
rollback;
