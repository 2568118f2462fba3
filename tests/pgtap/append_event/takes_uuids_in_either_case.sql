begin;
\ir ../_helpers/load.sql
select plan(3);

select pg_temp.append('{
    "eventId": "0D3C6A9E-4F0C-4A8E-9D5D-3D4C0F7DBB8A", "causedBySignalId": "ABCDEF00-0000-1000-8000-00000000000A",
    "parentEventId": "abcdef00-0000-1000-8000-00000000000B"
}');

select is(e.event_id::text, '0d3c6a9e-4f0c-4a8e-9d5d-3d4c0f7dbb8a', 'eventId')
from runstore.fetch_events('run-1') as e;
select is(e.caused_by_signal_id::text, 'abcdef00-0000-1000-8000-00000000000a', 'causedBySignalId')
from runstore.fetch_events('run-1') as e;
select is(e.parent_event_id::text, 'abcdef00-0000-1000-8000-00000000000b', 'parentEventId')
from runstore.fetch_events('run-1') as e;

select * from finish();
rollback;
