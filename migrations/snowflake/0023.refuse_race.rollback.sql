-- Takes back 0023.refuse_race.
DROP PROCEDURE IF EXISTS REFUSE_RACE();
