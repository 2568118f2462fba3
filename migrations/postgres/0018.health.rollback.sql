-- Takes back 0018.health.
drop function runstore.check_health();
