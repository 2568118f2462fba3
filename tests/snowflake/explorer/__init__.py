"""Every interleaving of sessions that append at once, of the statements that ship.

No bench has Snowflake's locks, so they are modelled, and the procedures are read from their files: a changed statement
is checked as changed, or refused. `program` is what a procedure comes down to, `reader` and `statements` make it from
the SQL, `rules` say how the database may behave, `machine` what it may do next, `invariants` what has to hold, and
`search` goes through everything that can happen. `report` prints what came of it; what is in `weakened` must not pass.
"""
