-- Whether events are missing between two sequence numbers that follow each other in what a reader has received.
-- depends: 0035.fetch_events

CREATE OR REPLACE FUNCTION DETECT_GAP(P_LAST_SEQ NUMBER, P_NEXT_SEQ NUMBER)
COPY GRANTS
RETURNS BOOLEAN
LANGUAGE SQL
IMMUTABLE
COMMENT = 'Whether events are missing between two sequence numbers that follow each other.'
AS
$$
    P_NEXT_SEQ - P_LAST_SEQ > 1
$$;
