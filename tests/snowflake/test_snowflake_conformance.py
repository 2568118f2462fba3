"""Every case of the conformance file gives the same snapshot and alerts on Snowflake, however it is folded."""

from collections.abc import Callable, Iterator

import pytest
from appends import key_of
from bench_stores import VARIANTS, BenchStore, folded, fresh_store
from conformance import Case, as_text, load
from model import fold, stored

CASES = load()


def _one_by_one(store: BenchStore, case: Case) -> None:
    for sent in case.events:
        store.append(sent)


def _in_one_batch(store: BenchStore, case: Case) -> None:
    store.append_batch(case.events)


class Store:
    """A store for all cases; each is appended when it is first asked for."""

    def __init__(self, store: BenchStore, append: Callable[[BenchStore, Case], None]) -> None:
        self.store = store
        self._append = append
        self._appended: set[str] = set()

    def with_case(self, case: Case) -> BenchStore:
        """Return the store, with the case in its log."""
        if case.name not in self._appended:
            self._appended.add(case.name)
            self._append(self.store, case)
        return self.store


@pytest.fixture(scope="module")
def singly() -> Iterator[Store]:
    """A store on standard tables to which each event is appended by itself."""
    with fresh_store() as store:
        yield Store(store, _one_by_one)


@pytest.fixture(scope="module")
def batched() -> Iterator[Store]:
    """A store on hybrid tables to which each case is appended as one batch."""
    with fresh_store("hybrid") as store:
        yield Store(store, _in_one_batch)


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> Case:
    """Each case of the file."""
    given: Case = request.param
    return given


def test_the_projector_makes_the_snapshot_and_the_alerts(singly: Store, case: Case) -> None:
    store = singly.with_case(case)
    while store.project_pending():
        pass
    _check_stored(store, case)


def test_projecting_the_run_and_making_it_anew_give_the_same(batched: Store, case: Case) -> None:
    store = batched.with_case(case)
    assert as_text(folded(store.project_snapshot(case.run_id))) == as_text(case.snapshot)
    _check_stored(store, case)
    assert as_text(folded(store.resync_run(case.run_id, "FULL"))) == as_text(case.snapshot)
    _check_stored(store, case)


def test_a_replay_up_to_any_event_is_the_fold_of_the_events_so_far(shared: BenchStore, case: Case) -> None:
    log = stored(case.events)
    shared.append_batch(case.events)
    assert as_text(shared.replay_snapshot(case.run_id)) == as_text(case.snapshot)
    replayed = [shared.replay_snapshot(case.run_id, n) for n in range(1, len(log) + 1)]
    assert as_text(replayed) == as_text([fold(log[:n])[0] for n in range(1, len(log) + 1)])


@pytest.mark.parametrize("variant", VARIANTS)
def test_all_runs_side_by_side_keep_up_with_their_logs(variant: str) -> None:
    """The nth events of all cases come as one batch, and each batch is projected before the next one comes."""
    logs = {case.run_id: stored(case.events) for case in CASES}
    with fresh_store(variant) as store:
        for nth in range(max(map(len, logs.values()))):
            runs = [run for run, log in logs.items() if len(log) > nth]
            batch = [_sent(case)[nth] for case in CASES if case.run_id in runs]
            store.append_batch(batch)
            assert store.project_all() == len(runs)
            for run in runs:
                snapshot = store.get_snapshot(run)
                assert snapshot is not None
                assert as_text(folded(snapshot)) == as_text(fold(logs[run][: nth + 1])[0])
        for case in CASES:
            _check_stored(store, case)


def _sent(case: Case) -> list[dict[str, object]]:
    """Return the case's events without those that repeat an earlier one."""
    first: dict[object, dict[str, object]] = {}
    for sent in case.events:
        first.setdefault(key_of(sent), sent)
    return list(first.values())


def _check_stored(store: BenchStore, case: Case) -> None:
    snapshot = store.get_snapshot(case.run_id)
    assert snapshot is not None
    assert snapshot["stale"] is False
    assert as_text(folded(snapshot)) == as_text(case.snapshot)
    assert as_text(store.transitions_refused(case.run_id)) == as_text(case.alerts)
