begin;
\ir ../_helpers/load.sql
select plan(5);

select pg_temp.stop_clock('2026-03-01 12:00:00.000001+00');
select pg_temp.append('{"emittedAt": "0001-01-01T00:00:00Z"}');
select pg_temp.append('{"eventType": "StepStarted", "stepId": "a", "emittedAt": "2026-07-01T00:30:00.12+02:00"}');
select pg_temp.append('{"eventType": "StepCompleted", "stepId": "a", "emittedAt": "2026-10-25T02:30:00.123456-11:30"}');
select pg_temp.append('{"eventType": "RunCompleted", "emittedAt": "9999-12-31T23:59:59.999999Z"}');
select runstore.project_pending();

create temporary table expected as
select
    array[
        '0001-01-01T00:00:00.000000Z', '9999-12-31T23:59:59.999999Z', '2026-03-01T12:00:00.000001Z',
        '2026-06-30T22:30:00.120000Z', '2026-10-25T14:00:00.123456Z'
    ] as times;
create function pg_temp.times()
returns text[]
language sql stable
as $$
    select array[
        s.j ->> 'startedAt', s.j ->> 'completedAt', s.j ->> 'projectedAt', s.j #>> '{steps,0,startedAt}',
        s.j #>> '{steps,0,completedAt}'
    ]
    from runstore.get_snapshot('run-1') as s (j)
$$;

select is(pg_temp.times(), e.times, 'as it is') from expected as e;
set local timezone = 'Pacific/Chatham';
set local datestyle = 'SQL, DMY';
select is(pg_temp.times(), e.times, 'far in the east') from expected as e;
set local timezone = 'America/St_Johns';
set local datestyle = 'German';
set local intervalstyle = 'sql_standard';
select is(pg_temp.times(), e.times, 'in the west') from expected as e;
set local timezone = '<evil>-14';
set local datestyle = 'Postgres, MDY';
set local intervalstyle = 'iso_8601';
select is(pg_temp.times(), e.times, 'in a zone of its own') from expected as e;
select is(
    runstore.replay_snapshot('run-1') - array['stale', 'projectedAt'],
    runstore.get_snapshot('run-1') - array['stale', 'projectedAt'],
    'and so in a replay'
);

select * from finish();
rollback;
