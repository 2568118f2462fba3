"""What must hold in any store, whatever was done to it."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from appends import Ack, Answer, key_of
from support import Connection

LOG = """
    select run_id, run_seq, encode(idempotency_key, 'hex'), event_id, persisted_at
      from runstore.run_events order by run_id, run_seq
"""
READ = """
    select r.run_id, f.run_seq, f.idempotency_key, f.event_id, f.persisted_at
      from runstore.run_counters as r
     cross join lateral runstore.fetch_events(r.run_id, 0, 10000) as f order by r.run_id, f.run_seq
"""


def check_log(connection: Connection, acknowledged: Sequence[Ack], *, everything: bool = True) -> None:
    """Fail unless the log is whole and has what was acknowledged; and nothing else, if that was everything."""
    rows = connection.execute(LOG).fetchall()
    assert connection.execute(READ).fetchall() == rows, "readers see another log"

    runs: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
    for row in rows:
        runs[row[0]].append(row)
    for run, log in runs.items():
        assert [row[1] for row in log] == list(range(1, len(log) + 1)), f"{run} has a gap or a double"
        assert len({row[2] for row in log}) == len(log), f"{run} has a key twice"
        times = [row[4] for row in log]
        assert times == sorted(times), f"{run} goes back in time"

    counters = connection.execute("select run_id, last_seq, last_persisted_at from runstore.run_counters")
    assert {row[0]: row[1:] for row in counters} == {run: (log[-1][1], log[-1][4]) for run, log in runs.items()}

    stored = {(row[0], row[2]): (row[3], row[1], row[4]) for row in rows}
    answers: dict[tuple[str, str], list[Answer]] = defaultdict(list)
    for sent, answer in acknowledged:
        answers[(sent["runId"], key_of(sent))].append(answer)
        assert answer.idempotent is not answer.persisted
    for place, given in answers.items():
        told = {(answer.event_id, answer.run_seq, answer.persisted_at) for answer in given}
        assert told == {stored.get(place)}, f"{place} was acknowledged as {told}, and is {stored.get(place)}"
        writes = sum(answer.persisted for answer in given)
        assert writes == 1 if everything else writes <= 1, f"{place} was written {writes} times"
    if everything:
        assert set(stored) == set(answers)
