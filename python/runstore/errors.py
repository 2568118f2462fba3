"""What the store refuses, one class per SQLSTATE, with the words of the database.

Errors that are the database's own (a lost connection, a cancelled statement, a missing privilege) stay the driver's.
"""

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import psycopg

if TYPE_CHECKING:
    from runstore.events import AppendResult


class RunStoreError(Exception):
    """Base of all errors that runstore raises.

    str() is the message. detail holds code, field, value, expected, index, retryAfterMs, those that apply; hint says
    what to do. The database's error is the __cause__.
    """

    sqlstate: str | None = None

    def __init_subclass__(cls, sqlstate: str | None = None) -> None:
        cls.sqlstate = sqlstate

    def __init__(self, message: str, *, detail: dict[str, Any] | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.detail = detail or {}
        self.hint = hint


class InvalidEvent(RunStoreError, sqlstate="RS001"):
    """A field of an event is missing or malformed."""


class RunIdentityMismatch(RunStoreError, sqlstate="RS002"):
    """The run exists under another tenant, project or environment."""


class EventIdReused(RunStoreError, sqlstate="RS003"):
    """The event id is already another event of this run."""


class InvalidTransition(RunStoreError, sqlstate="RS004"):
    """The state of the run or step does not allow the event, and transitions are enforced."""


class PayloadTooLarge(RunStoreError, sqlstate="RS005"):
    """A payload, engine run reference or signal is over its size limit."""


class SignalRateExceeded(RunStoreError, sqlstate="RS006"):
    """The run has had its signals for this minute; detail["retryAfterMs"] says when to try again."""


class WriteBudgetExceeded(RunStoreError, sqlstate="RS007"):
    """The write could not be made within its budget."""


class RunArchived(RunStoreError, sqlstate="RS008"):
    """The run is archived or purged and takes no more events."""


class AppendOnly(RunStoreError, sqlstate="RS009"):
    """The log was to be updated, deleted from or truncated."""


class InvalidArgument(RunStoreError, sqlstate="RS010"):
    """A limit, watermark, name, key or value is not acceptable."""


class LeaseLost(RunStoreError, sqlstate="RS011"):
    """The lease has expired or belongs to another worker."""


class RunNotFound(RunStoreError, sqlstate="RS012"):
    """There is no such run, or it is another tenant's."""


class TenantForbidden(RunStoreError, sqlstate="RS013"):
    """The login is bound to other tenants."""


class AppendRaced(RunStoreError):
    """Another session moved the run meanwhile (40001); nothing was stored, and the same call can be sent again.

    On Snowflake only: a race that is lost on PostgreSQL is psycopg's SerializationFailure.
    """


class GapDetected(RunStoreError):
    """follow() met an event that is not the next one: the log is damaged. detail has runId, expected and found."""


class NotInstalled(RunStoreError):
    """The database has no runstore."""


class IncompatibleSchema(RunStoreError):
    """The runstore in the database is of a version that this client does not understand."""


class AppendsRefused(RunStoreError):
    """append_many() stored what it could, and some events were refused.

    outcomes has for each event, in input order, its AppendResult or its error; refused has the errors by index.
    """

    def __init__(self, message: str, *, outcomes: "Sequence[AppendResult | Exception]" = (), **more: Any) -> None:
        super().__init__(message, **more)
        self.outcomes = list(outcomes)

    @property
    def refused(self) -> dict[int, Exception]:
        """The errors, by the index of their event."""
        return {index: each for index, each in enumerate(self.outcomes) if isinstance(each, Exception)}


_BY_SQLSTATE = {each.sqlstate: each for each in RunStoreError.__subclasses__() if each.sqlstate}
_BY_SNOWFLAKES_CODE: dict[str, type[RunStoreError]] = {**_BY_SQLSTATE, "40001": AppendRaced}
_RAISED_BY_RUNSTORE = re.compile(r'\{"code":"(?:RS\d{3}|40001)"')


def from_database(error: psycopg.Error) -> RunStoreError | None:
    """Return the runstore error that a psycopg error carries; None if it is one of PostgreSQL's own.

    For programs that call the procedures themselves; the stores of this package have done it already.
    """
    if not error.sqlstate or not error.sqlstate.startswith("RS"):
        return None
    # A class of errors that a newer store has and this client does not know is still one of the store's.
    chosen = _BY_SQLSTATE.get(error.sqlstate, RunStoreError)
    diag = error.diag
    found = chosen(diag.message_primary or str(error), detail=_object(diag.message_detail), hint=diag.message_hint)
    found.sqlstate = error.sqlstate
    return found


def from_snowflake(error: Exception) -> RunStoreError | None:
    """Return the runstore error that an error of Snowflake's connector carries; None if it is one of Snowflake's own.

    Its text is a JSON object, and around it stand the words of each procedure that it came through.
    """
    text = str(error)
    start = _RAISED_BY_RUNSTORE.search(text)
    if not start:
        return None
    try:
        said, _ = json.JSONDecoder(strict=False).raw_decode(text, start.start())
    except ValueError:
        return None
    detail = {key: value for key, value in said.items() if key not in ("name", "message", "hint")}
    chosen = _BY_SNOWFLAKES_CODE.get(said["code"], RunStoreError)
    found = chosen(said.get("message", text), detail=detail, hint=said.get("hint"))
    found.sqlstate = said["code"]
    return found


def _object(text: str | None) -> dict[str, Any]:
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
