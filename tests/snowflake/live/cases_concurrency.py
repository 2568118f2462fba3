"""Many clients at once: one row for each key, no gap, and every append that was acknowledged is there."""

from uuid import uuid4

import pytest
from appends import together
from runstore import AppendResult, RunEventWrite, SnowflakeRunStore
from stores import write

from live.account import Account, rows

Ack = tuple[RunEventWrite, AppendResult]

PATIENT = 40


@pytest.mark.parametrize("runs", [1, 5], ids=["one-run", "many-runs"])
@pytest.mark.parametrize("form", ["single", "batch"])
def test_clients_that_share_keys_store_each_key_once(account: Account, runs: int, form: str) -> None:
    """Two clients send each event; which of them stores it is open, that one does is not."""
    name = f"shared-{uuid4()}"
    store = account.store(retries=PATIENT, max_size=account.clients)

    def work(client: int) -> list[Ack]:
        sent = [write(f"{name}-{n % runs}", f"{client // 2}-{n}") for n in range(6)]
        answers = store.append_events(sent) if form == "batch" else [store.append_event(event) for event in sent]
        return list(zip(sent, answers, strict=True))

    acknowledged = together(account.clients, work)
    stored = _checked_log(account, store, [f"{name}-{n}" for n in range(runs)])

    keys = {(event.run_id, event.step_id) for event, _ in acknowledged}
    assert set(stored) == keys
    for event, answer in acknowledged:
        assert stored[event.run_id, str(event.step_id)] == answer.run_seq
    fresh = [(event.run_id, event.step_id) for event, answer in acknowledged if answer.persisted]
    assert sorted(fresh) == sorted(keys)


def _checked_log(account: Account, store: SnowflakeRunStore, runs: list[str]) -> dict[tuple[str, str], int]:
    """Return the place of every event, and fail unless each run counts 1, 2, 3 … in time, and so does its counter."""
    session = account.connect()
    places: dict[tuple[str, str], int] = {}
    for run_id in runs:
        log = store.fetch_events(run_id)
        assert [each.run_seq for each in log] == list(range(1, len(log) + 1))
        times = [each.persisted_at for each in log]
        assert times == sorted(times)
        assert len({each.event_id for each in log}) == len({each.idempotency_key for each in log}) == len(log)
        counters = rows(session, "SELECT LAST_SEQ FROM RUN_COUNTERS WHERE RUN_ID = ?", run_id)
        assert counters == [{"LAST_SEQ": len(log)}]
        assert rows(session, "CALL VERIFY_RUN(?)", run_id) == []
        places |= {(run_id, str(each.step_id)): each.run_seq for each in log}
    return places
