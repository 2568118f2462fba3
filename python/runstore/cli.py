"""The command `runstore`."""

import argparse
import io
import logging
import os
import signal
import sys
from collections.abc import Sequence

import psycopg

from runstore import __version__, demo, migrate, worker
from runstore._commands import appending, completing, exporting, local, migrating, reading, working
from runstore._commands.common import CommandError, UsageError, described, primary
from runstore._commands.remote import check_dsn
from runstore.embedded import BinariesNotFoundError, ServerError
from runstore.errors import RunStoreError

FAILED = 1
_EXPECTED = (
    BinariesNotFoundError,
    CommandError,
    ServerError,
    migrate.MigrationError,
    demo.DemoError,
    worker.WorkerError,
    OSError,
)
_EPILOG = """\
exit codes:
  0    done
  1    failed: one line on standard error says why
  2    the command was not understood
  3    health: the store is not well
  130  interrupted

RUNSTORE_DSN stands in for --dsn. `runstore COMMAND --help` says more about each.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, and return its exit code; an expected failure is one clear line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that lacks a character is no reason to fail.
            stream.reconfigure(errors="backslashreplace")
    # What the driver logs when a call is interrupted is no message for a person; failures are told below.
    logging.getLogger("psycopg").addHandler(logging.NullHandler())
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        if getattr(options, "dsn", None) is not None:
            check_dsn(options.dsn)
        code: int | None = options.run(options)
        sys.stdout.flush()
    except UsageError as error:
        parser.error(str(error))
    except BrokenPipeError:
        # Whoever read our output has had enough. The interpreter would complain when it closes it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except RunStoreError as error:
        expected = str(error.detail.get("expected", ""))
        # Most messages say it themselves.
        return _fail(
            str(error), detail=f"expected: {expected}" if expected not in str(error) else None, hint=error.hint
        )
    except psycopg.errors.InsufficientPrivilege as error:
        return _fail(primary(error), hint=error.diag.message_hint or f"the login needs {options.needs}")
    except psycopg.Error as error:
        return _fail(primary(error), hint=error.diag.message_hint)
    except _EXPECTED as error:
        return _fail(str(error))
    return code or 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="runstore",
        description="The state store of a workflow engine.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"runstore {__version__}")
    commands = parser.add_subparsers(required=True, metavar="command")
    for module in (local, migrating, working, appending, reading, exporting):
        module.add(commands)
    completing.add(commands, parser)
    return parser


def _fail(message: str, *, detail: str | None = None, hint: str | None = None) -> int:
    sys.stdout.flush()
    print(f"runstore: {described(message, detail=detail, hint=hint)}", file=sys.stderr)
    return FAILED


if __name__ == "__main__":
    sys.exit(main())
