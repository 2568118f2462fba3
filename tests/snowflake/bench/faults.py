"""What goes wrong on the bench, and how a client of an account would see it."""

from __future__ import annotations

from snowflake.connector.errors import ProgrammingError

COMPILATION_ERROR = 1003
INVALID_IDENTIFIER = 904
WRONG_ARGUMENTS = 1044
UNKNOWN_OBJECT = 2003
INCOMPLETE_TRANSACTION = 90232
INTO_NOT_ONE_ROW = 100089
UNCONVERTIBLE = 100038
TOO_LONG = 100078
WRONG_RETURN = 2201


class NotSupported(Exception):  # noqa: N818 - a statement about the bench, not an error of the SQL
    """The bench does not know what an account would do, and does not guess. No handler of a block catches it."""


class Fault(Exception):  # noqa: N818 - it becomes an error only where nothing handles it
    """A fault of the SQL, as handlers of a block see it."""

    def __init__(self, message: str, code: int, state: str, kind: str = "STATEMENT_ERROR") -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.state = state
        self.kind = kind
        self.position: tuple[int, int] | None = None

    def uncaught(self) -> Fault:
        """What the caller of the block sees when no handler took it."""
        if self.position is None:
            return self
        line, position = self.position
        tail = f" : {self.message}" if self.message else ""
        text = f"Uncaught exception of type '{self.kind}' on line {line} at position {position}{tail}"
        return Fault(text, self.code, self.state)

    def as_error(self) -> ProgrammingError:
        """What the connector raises for it."""
        return ProgrammingError(msg=self.message, errno=self.code, sqlstate=self.state)


def refused(message: str, code: int = COMPILATION_ERROR, state: str = "42000") -> Fault:
    """A statement that an account refuses while compiling it."""
    return Fault(f"SQL compilation error: {message}", code, state)


def invalid_identifier(name: str, line: int, position: int) -> Fault:
    """A name that is not in scope."""
    text = f"error line {line} at position {position}\ninvalid identifier '{name}'"
    return refused(text, INVALID_IDENTIFIER)
