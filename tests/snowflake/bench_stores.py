"""The store on the bench, called as a client in any language calls it, and what tests do to it behind its back."""

import hashlib
import itertools
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

import pytest
from append_rules import Refusal
from appends import Answer, Event, event
from live.cases_appends import Procedures
from runstore.errors import from_snowflake
from shipped import SOURCES
from snowflake.connector.errors import ProgrammingError

from bench import Bench

VARIANTS = ("standard", "hybrid")

Json = dict[str, Any]
Row = dict[str, Any]
Snapshot = dict[str, Any]


@dataclass(frozen=True)
class Variant:
    """An argument of type VARIANT."""

    value: Any


class BenchStore(Procedures):
    """A store on a bench, in one session. Answers have lower-case names; times are in UTC; JSON is read."""

    def __init__(self, bench: Bench, user: str = "BENCH_OWNER") -> None:
        self.bench = bench
        self.connection = bench.connection(user)
        self._numbers = itertools.count(1)
        super().__init__(self.connection)  # type: ignore[arg-type]  # it has what is used of the connector's

    def session_of(self, user: str) -> "BenchStore":
        """Return the same store in a session of another login."""
        return BenchStore(self.bench, user)

    def sql(self, statement: str, *parameters: Any) -> list[Row]:
        """Run a statement."""
        with self.connection.cursor() as cursor:
            cursor.execute(statement, list(parameters))
            columns = [(column.name.lower(), column.type_code) for column in cursor.description or []]
            return [
                {name: _read(type_code, value) for (name, type_code), value in zip(columns, row, strict=True)}
                for row in cursor.fetchall()
            ]

    def call(self, procedure: str, *arguments: Any) -> list[Row]:
        """Call a procedure, or raise the Refusal that it answers with."""
        marks = ", ".join("PARSE_JSON(?)" if isinstance(each, Variant) else "?" for each in arguments)
        values = [json.dumps(each.value) if isinstance(each, Variant) else each for each in arguments]
        try:
            return self.sql(f"CALL {procedure}({marks})", *values)
        except ProgrammingError as error:
            refusal = from_snowflake(error)
            if refusal is None:
                raise
            raise Refusal(str(refusal), refusal.detail, refusal.hint) from error
        finally:
            assert not self.connection.session.in_transaction, "a call left its transaction open"

    def value(self, procedure: str, *arguments: Any) -> Any:
        """Call a procedure that answers with one value."""
        [row] = self.call(procedure, *arguments)
        [value] = row.values()
        return value

    def append(self, sent: Event) -> Answer:
        """Append one event in its JSON form."""
        return self.append_json(sent)

    def append_types(self, run: str, *event_types: str, **fields: Any) -> None:
        """Append events of these types to a run, each under a key of its own; step events are about the step load."""
        self.append_batch(
            [
                event(
                    run,
                    "",
                    eventType=event_type,
                    stepId="load" if event_type.startswith("Step") else None,
                    idempotencyKey=hashlib.sha256(f"{run} {next(self._numbers)}".encode()).hexdigest(),
                    **fields,
                )
                for event_type in event_types
            ]
        )

    def insert_log(self, run: str, event_types: Sequence[str], payload: Json | None = None) -> None:
        """Put a log into the tables without an append, which would take long for a long one."""
        self.sql(INSERT_LOG, run, run, run, json.dumps(payload), json.dumps(list(event_types)))
        self.sql(INSERT_COUNTER, run, len(event_types))

    def lose(self, run: str, *seqs: int) -> None:
        """Take events out of a run's log."""
        places = ", ".join(map(str, seqs))
        which = f"WHERE RUN_ID = '{run}' AND RUN_SEQ IN ({places})"
        self.bench.script(LOST_EVENTS)
        self.sql(f"INSERT INTO LOST_EVENTS SELECT * FROM RUN_EVENTS {which}")  # noqa: S608
        assert self.changed(f"DELETE FROM RUN_EVENTS {which}") == len(seqs)  # noqa: S608

    def bring_back(self, run: str, *seqs: int) -> None:
        """Put lost events back as they were."""
        places = ", ".join(map(str, seqs))
        which = f"WHERE RUN_ID = '{run}' AND RUN_SEQ IN ({places})"
        assert self.changed(f"INSERT INTO RUN_EVENTS SELECT * FROM LOST_EVENTS {which}") == len(seqs)  # noqa: S608
        self.sql(f"DELETE FROM LOST_EVENTS {which}")  # noqa: S608

    def spoil(self, run: str, seq: int) -> None:
        """Spoil a step event, so that its run cannot be projected past it: its step is gone."""
        assert self.changed("UPDATE RUN_EVENTS SET STEP_ID = NULL WHERE RUN_ID = ? AND RUN_SEQ = ?", run, seq) == 1

    def mend(self, run: str, seq: int) -> None:
        """Give a spoilt event its step back."""
        assert self.changed("UPDATE RUN_EVENTS SET STEP_ID = 'load' WHERE RUN_ID = ? AND RUN_SEQ = ?", run, seq) == 1

    def changed(self, statement: str, *parameters: Any) -> int | None:
        """Run a statement that writes, and return how many rows it changed."""
        with self.connection.cursor() as cursor:
            return cursor.execute(statement, list(parameters)).rowcount

    def fetch(self, run: str | None, after_seq: int | None = 0, limit: int | None = 10000) -> list[Row]:
        """Return a page of a run's events."""
        return self.call("FETCH_EVENTS", run, after_seq, limit)

    def project_pending(self, max_runs: int | None = 100) -> int:
        """Make one step of the projector."""
        return int(self.value("PROJECT_PENDING", max_runs))

    def project_all(self) -> int:
        """Project until nothing is left, and return how many runs that were."""
        total = 0
        while done := self.project_pending(10000):
            total += done
        return total

    def get_snapshot(self, run: str) -> Snapshot | None:
        """Return the stored snapshot."""
        stored: Snapshot | None = self.value("GET_SNAPSHOT", run)
        return stored

    def project_snapshot(self, run: str) -> Snapshot:
        """Project one run."""
        return dict(self.value("PROJECT_SNAPSHOT", run))

    def resync_run(self, run: str, mode: str | None = "FULL") -> Snapshot:
        """Make one run's snapshot anew."""
        return dict(self.value("RESYNC_RUN", run, mode))

    def replay_snapshot(self, run: str, up_to_seq: int | None = None) -> Snapshot:
        """Fold one run's log."""
        return dict(self.value("REPLAY_SNAPSHOT", run, up_to_seq))

    def verify_run(self, run: str) -> list[Row]:
        """Return what is wrong with a run."""
        return self.call("VERIFY_RUN", run)

    def raised(self, run: str) -> list[tuple[str, int | None, int, bool]]:
        """Return code, sequence and count of each alert of a run, and whether it is open."""
        found = self.sql(
            "SELECT CODE, RUN_SEQ, COUNT AS TIMES, RESOLVED_AT IS NULL AS IS_OPEN FROM ALERTS "
            "WHERE RUN_ID = ? ORDER BY RUN_SEQ, CODE, RAISED_AT",
            run,
        )
        return [(row["code"], row["run_seq"], row["times"], row["is_open"]) for row in found]

    def transitions_refused(self, run: str) -> list[Json]:
        """Return the INVALID_TRANSITION alerts of a run as snapshots.json writes them; each was raised once."""
        names = ("priorState", "attemptedState", "eventType", "stepId")
        query = "SELECT CODE, RUN_SEQ, DETAILS, COUNT AS TIMES FROM ALERTS WHERE RUN_ID = ? ORDER BY RUN_SEQ, CODE"
        told = []
        for alert in self.sql(query, run):
            assert alert["times"] == 1
            named = {name: alert["details"][name] for name in names if name in alert["details"]}
            told.append({"code": alert["code"], "runSeq": alert["run_seq"], **named})
        return told

    def contents(self, tables: Sequence[str]) -> dict[str, list[Row]]:
        """Return every row of these tables, to compare with the same at another time."""
        return {table: sorted(self.sql(f"SELECT * FROM {table}"), key=repr) for table in tables}  # noqa: S608


# What is taken out of a log is kept in a table like the archive's.
LOST_EVENTS = (SOURCES / "log" / "run_events_archive.sql").read_text().replace("RUN_EVENTS_ARCHIVE", "LOST_EVENTS")
INSERT_LOG = """
    INSERT INTO RUN_EVENTS (
        RUN_ID, RUN_SEQ, EVENT_ID, EVENT_TYPE, STEP_ID, ENGINE_ATTEMPT_ID, LOGICAL_ATTEMPT_ID, TENANT_ID, PROJECT_ID,
        ENVIRONMENT_ID, PLAN_ID, PLAN_VERSION, IDEMPOTENCY_KEY, PAYLOAD, EMITTED_AT, PERSISTED_AT
    )
    SELECT
        ?, F.INDEX + 1, UUID_STRING(), F.VALUE::VARCHAR, CASE WHEN LEFT(F.VALUE::VARCHAR, 4) = 'Step' THEN 'load' END,
        1, 1, 'tenant', 'project', 'environment', 'plan', '1', SHA2(? || F.INDEX::VARCHAR || ?, 256), PARSE_JSON(?),
        '2026-02-16 09:30:00'::TIMESTAMP_NTZ(6), '2026-03-01 12:00:00'::TIMESTAMP_NTZ(6)
    FROM TABLE(FLATTEN(INPUT => PARSE_JSON(?))) AS F
"""
INSERT_COUNTER = """
    INSERT INTO RUN_COUNTERS (RUN_ID, TENANT_ID, PROJECT_ID, ENVIRONMENT_ID, LAST_SEQ, LAST_PERSISTED_AT)
    SELECT ?, 'tenant', 'project', 'environment', ?, '2026-03-01 12:00:00'::TIMESTAMP_NTZ(6)
"""
TABLES = (
    "RUN_EVENTS",
    "RUN_EVENTS_ARCHIVE",
    "RUN_COUNTERS",
    "RUN_SNAPSHOTS",
    "ALERTS",
    "CONFIG",
    "TENANT_BINDINGS",
)


@contextmanager
def fresh_store(variant: str = "standard") -> Iterator[BenchStore]:
    """Lend a store of its own."""
    with Bench.deployed(variant) as bench:
        yield BenchStore(bench)


@contextmanager
def refused(code: str, **detail: Any) -> Iterator[None]:
    """Expect a refusal with this code and, where they are named, these parts of its detail."""
    with pytest.raises(Refusal) as caught:
        yield
    told = caught.value.told["detail"]
    assert {name: told.get(name) for name in ("code", *detail)} == {"code": code, **detail}


def folded(snapshot: Snapshot) -> Snapshot:
    """Return the part of a snapshot that the log alone decides; the rest has to be there."""
    assert {"stale", "projectedAt"} <= snapshot.keys()
    return {name: part for name, part in snapshot.items() if name not in ("stale", "projectedAt")}


def _read(type_code: str, value: Any) -> Any:
    if isinstance(value, datetime):
        return value.replace(tzinfo=timezone.utc)
    return json.loads(value) if type_code in ("VARIANT", "OBJECT", "ARRAY") and value is not None else value
