begin;
\ir ../_helpers/load.sql
select plan(1);

select pg_temp.append(
    '{"eventType": "StepFailed", "stepId": "load", "payload": {"error": "very secret", "reason": "very secret"}}'
);
select pg_temp.spoil('run-1', 1);
select runstore.project_pending();

select unalike(a.details::text, '%secret%') from runstore.alerts as a;

select * from finish();
rollback;
