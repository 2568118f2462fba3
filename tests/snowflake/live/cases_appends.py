"""Every case of tests/conformance/appends.json, each in one of its forms: all three take part."""

import json
from datetime import datetime, timezone
from typing import Any
from uuid import UUID

import pytest
from append_rules import COLUMNS, Case, Refusal, expected, load, observed, shown, utc_text
from appends import Answer, Event
from runstore.errors import from_snowflake
from runstore.events import camel_case
from snowflake.connector import SnowflakeConnection
from snowflake.connector.errors import ProgrammingError

from live.account import Account, rows

RULES = load()
CASES = [(case, case.forms()[number % len(case.forms())]) for number, case in enumerate(RULES.cases)]

PARAMETERS = {camel_case(name): f"P_{name.upper()}" for name in COLUMNS}
MADE_BY = {"emittedAt": "CAST(? AS TIMESTAMP_TZ)", "payload": "PARSE_JSON(?)", "engineRunRef": "PARSE_JSON(?)"}
ALERTS = """
    SELECT CODE, RUN_SEQ, EVENT_ID, COUNT, DETAILS FROM ALERTS
    WHERE RUN_ID = ? AND RESOLVED_AT IS NULL ORDER BY RUN_SEQ, CODE
"""


class Procedures:
    """The store's procedures, called as a client in any language does."""

    def __init__(self, session: SnowflakeConnection) -> None:
        self._session = session

    def set_clock(self, instant: str) -> None:
        """Stop the store's clock at an RFC 3339 instant until this is called again."""
        still = datetime.fromisoformat(instant.replace("Z", "+00:00")).astimezone(timezone.utc)
        rows(
            self._session,
            "CREATE OR REPLACE FUNCTION CLOCK() RETURNS TIMESTAMP_NTZ(6) LANGUAGE SQL VOLATILE AS "
            f"$$ '{still:%Y-%m-%d %H:%M:%S.%f}'::TIMESTAMP_NTZ(6) $$",
        )

    def set_config(self, key: str, value: str) -> None:
        """Change a setting."""
        rows(self._session, "CALL SET_CONFIG_VALUE(?, ?)", key, value)

    def append_json(self, event: Any) -> Answer:
        """Append what is sent as one event in its JSON form, or raise Refusal."""
        return self._appended("CALL APPEND_EVENT(PARSE_JSON(?))", json.dumps(event))[0]

    def append_arguments(self, event: Event) -> Answer:
        """Append an event by typed arguments, of which the required ones are all there, or raise Refusal."""
        named = ", ".join(f"{PARAMETERS[name]} => {MADE_BY.get(name, '?')}" for name in event)
        values = [
            json.dumps(value) if name in ("payload", "engineRunRef") and value is not None else value
            for name, value in event.items()
        ]
        return self._appended(f"CALL APPEND_EVENT({named})", *values)[0]

    def append_batch(self, events: Any) -> list[Answer]:
        """Append what is sent as a batch, or raise Refusal."""
        return self._appended("CALL APPEND_EVENTS(PARSE_JSON(?))", json.dumps(events))

    def log(self, run_id: str) -> list[dict[str, Any]]:
        """Return the run's events: all columns as JSON values, times as utc_text() writes them."""
        events = rows(self._session, "CALL FETCH_EVENTS(?, ?, ?)", run_id, 0, 10000)
        return [{name: _json_value(name, event[name.upper()]) for name in COLUMNS} for event in events]

    def alerts(self, run_id: str) -> list[dict[str, Any]]:
        """Return the run's open alerts, by runSeq and code: runId, code, runSeq, eventId, count and details."""
        return [
            {
                "runId": run_id,
                "code": alert["CODE"],
                "runSeq": alert["RUN_SEQ"],
                "eventId": alert["EVENT_ID"],
                "count": alert["COUNT"],
                "details": json.loads(alert["DETAILS"]),
            }
            for alert in rows(self._session, ALERTS, run_id)
        ]

    def _appended(self, statement: str, *parameters: Any) -> list[Answer]:
        try:
            answers = rows(self._session, statement, *parameters)
        except ProgrammingError as error:
            refusal = from_snowflake(error)
            if refusal is None:
                raise
            raise Refusal(str(refusal), refusal.detail, refusal.hint) from error
        return [
            Answer(
                event_id=UUID(answer["EVENT_ID"]),
                run_seq=answer["RUN_SEQ"],
                persisted_at=answer["PERSISTED_AT"].replace(tzinfo=timezone.utc),
                idempotent=answer["IDEMPOTENT"],
                persisted=answer["PERSISTED"],
            )
            for answer in answers
        ]


@pytest.fixture(scope="module")
def procedures(account: Account) -> Procedures:
    """The account's procedures, in one session."""
    return Procedures(account.connect())


@pytest.mark.parametrize(("case", "form"), CASES, ids=[f"{case.name}-{form}" for case, form in CASES])
def test_every_call_of_the_case_is_told_what_it_has_to_be(procedures: Procedures, case: Case, form: str) -> None:
    assert shown(observed(RULES, procedures, case, form)) == shown(expected(case, form))


def _json_value(name: str, value: Any) -> Any:
    if isinstance(value, datetime):
        return utc_text(value.replace(tzinfo=timezone.utc))
    return json.loads(value) if name in ("payload", "engine_run_ref") and value is not None else value
