"""Everything at once, for a while; afterwards every snapshot is what its log says, and nothing is left to do."""

import random
from collections.abc import Iterator
from functools import partial
from itertools import cycle

import pytest
from appends import Ack, append_batch, append_named, event, impatient, together
from checker import check_log
from projections import (
    Reader,
    Victim,
    alerts,
    any_event,
    check_projections,
    due,
    meanwhile,
    project_all,
    project_pending,
    project_snapshot,
    resync_run,
    set_mode,
)
from support import Connect, Connection

RUNS = [f"run-{n}" for n in range(12)]
WRITERS = 3


@pytest.fixture
def dsn(dsn: str) -> str:
    """A fresh database, in which nobody waits for ever."""
    return impatient(dsn)


def _write(session: Connection, client: int, calls: int) -> list[Ack]:
    """Append singles and batches, valid and invalid events, some of them sent by others too."""
    chance = random.Random(client)  # noqa: S311
    acknowledged: list[Ack] = []
    for n in range(calls):
        names = [f"{client}-{n}-{i}" for i in range(chance.choice((1, 1, 1, 2, 9)))]
        names += [f"shared-{chance.randrange(calls)}"] * (n % 4 == 0)
        sent = [any_event(chance.choice(RUNS), name) for name in names]
        if len(sent) > 1:
            acknowledged += zip(sent, append_batch(session, sent), strict=True)
        else:
            acknowledged.append((sent[0], append_named(session, sent[0])))
    return acknowledged


def _modes() -> Iterator[str]:
    return cycle(("inline", "async"))


@pytest.mark.parametrize("mode", ["async", "inline", "switched"])
def test_after_appends_projectors_resyncs_and_kills_all_at_once_every_snapshot_is_what_its_log_says(
    connect: Connect, mode: str
) -> None:
    observer = connect()
    set_mode(observer, mode if mode != "switched" else "async")
    observer.execute("select runstore.set_config_value('lag_resync_ms', '1')")
    observer.execute("select runstore.set_config_value('lag_alert_ms', '86400000')")
    writers, projectors = [connect() for _ in range(WRITERS)], [connect(), connect()]
    asking, resyncing, looking, administrator = connect(), connect(), connect(), connect()
    reader, victim = Reader(connect(), RUNS[:4]), Victim(connect, connect())
    chance, modes = random.Random(mode), _modes()  # noqa: S311
    append_batch(observer, [event(run, "start") for run in RUNS])

    with meanwhile(
        *(partial(project_pending, projector, 5) for projector in projectors),
        lambda: project_snapshot(asking, chance.choice(RUNS)),
        lambda: resync_run(resyncing, chance.choice(RUNS), chance.choice(("FULL", "FROM_SNAPSHOT"))),
        lambda: looking.execute("select runstore.check_health()"),
        reader.read,
        victim.work,
        victim.kill,
        *([lambda: set_mode(administrator, next(modes))] if mode == "switched" else []),
    ):
        acknowledged = together(WRITERS, lambda client: _write(writers[client], client, 100))

    assert victim.kills > 0
    project_all(observer)
    check_projections(observer)
    check_log(observer, acknowledged, everything=False)


def test_two_projectors_under_load_leave_no_event_without_a_note(connect: Connect) -> None:
    observer, writers, projectors = connect(), [connect() for _ in range(WRITERS)], [connect(), connect()]
    with meanwhile(*(partial(project_pending, projector, 3) for projector in projectors)):
        acknowledged = together(WRITERS, lambda client: _write(writers[client], client, 100))
    project_all(observer)
    check_projections(observer)
    check_log(observer, acknowledged)


def test_a_run_that_grows_while_it_is_projected_is_written_once_per_stretch(connect: Connect) -> None:
    """One run for all: each projection begins where the one before it ended, so no refusal is told twice."""
    observer, writers, projectors = connect(), [connect(), connect()], [connect(), connect()]

    def write(client: int) -> list[Ack]:
        sent = [any_event("run", f"{client}-{n}") for n in range(150)]
        return [(item, append_named(writers[client], item)) for item in sent]

    with meanwhile(*(partial(project_pending, projector) for projector in projectors)):
        acknowledged = together(2, write)
    project_all(observer)
    check_projections(observer)
    check_log(observer, acknowledged)
    assert due(observer) == []
    assert len(alerts(observer)) > 10, "too few events were refused for this to say much"
