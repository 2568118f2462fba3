"""runstore migrate: install, bring up to date, take back."""

import argparse
import json

from runstore import migrate, script
from runstore._commands.common import Commands, UsageError, add_json, positive
from runstore._commands.remote import add_dsn


def add(commands: Commands) -> None:
    """Add the command."""
    text = "install runstore in a database, or bring it up to date"
    parser = commands.add_parser("migrate", help=text, description=text)
    add_dsn(parser, "CREATE on the database, and CREATEROLE or the four roles made beforehand")
    parser.add_argument(
        "action",
        nargs="?",
        choices=("apply", "status", "rollback", "break-lock"),
        default="apply",
        help="default: apply",
    )
    how_many = parser.add_mutually_exclusive_group()
    how_many.add_argument("--count", type=positive, default=1, help="how many migrations to roll back (default: 1)")
    how_many.add_argument("--all", action="store_const", const="all", dest="count", help="roll back all migrations")
    parser.add_argument(
        "--dry-run", action="store_true", help="execute nothing; print the SQL of apply or rollback, for psql"
    )
    add_json(parser, "an object per migration (status)")
    parser.set_defaults(run=_migrate)


def _migrate(options: argparse.Namespace) -> None:
    if options.dry_run and options.action not in ("apply", "rollback"):
        raise UsageError(f"--dry-run goes with apply and rollback, not with {options.action}")
    if options.json and options.action != "status":
        raise UsageError(f"--json goes with status, not with {options.action}")
    if options.dry_run:
        print(_script(options), end="")
    elif options.action == "apply":
        applied = migrate.apply(options.dsn)
        print("\n".join(f"applied {name}" for name in applied) or "nothing to apply: the schema is current")
    elif options.action == "rollback":
        undone = migrate.rollback(options.dsn, options.count)
        print("\n".join(f"rolled back {name}" for name in undone) or "nothing to roll back")
    elif options.action == "break-lock":
        migrate.break_lock(options.dsn)
        print("no migration lock is left")
    else:
        _status(options)


def _script(options: argparse.Namespace) -> str:
    entries = migrate.status(options.dsn)
    if options.action == "apply":
        pending = [each.name for each in entries if not each.applied]
        has_books = any(each.applied for each in entries)
        if not pending:
            return "-- nothing to apply: the schema is current\n"
        return script.upgrade(pending, has_books=has_books)
    if not all(each.carried for each in entries):
        raise migrate.MigrationError(migrate.STRANGERS)
    done = [each.name for each in reversed(entries) if each.applied]
    chosen = done if options.count == "all" else done[: options.count]
    return script.rollback(chosen) if chosen else "-- nothing to roll back\n"


def _status(options: argparse.Namespace) -> None:
    for entry in migrate.status(options.dsn):
        if options.json:
            at = entry.applied_at.isoformat().replace("+00:00", "Z") if entry.applied_at else None
            print(json.dumps({"name": entry.name, "appliedAt": at, "carried": entry.carried}))
        else:
            when = f"applied {entry.applied_at:%Y-%m-%d %H:%M:%S} UTC" if entry.applied_at else "pending"
            print(f"{entry.name}  {when}{'' if entry.carried else '  (unknown to this version)'}")
