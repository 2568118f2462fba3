"""Load from pgbench: prepared statements, a script per kind of transaction.

Both sides run the same client-side lines and send the same parameters. Keys are 64 digits that the client draws; the
floor turns them into octets as the input of a bytea parameter would.
"""

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template

from event import COLUMNS, FIELDS
from lab import Lab

_STORED_RUN = r"""
\set run 10000000 + (:i * :i * 7919 + :i * 104729) % 89999999
\set tail 100000000000 + :i
"""
ANY_RUN = r"\set i random(0, :runs - 1)" + _STORED_RUN
HOT_RUN = r"\set i 0" + _STORED_RUN
FRESH_RUN = r"""
\set tail 200000000000 + :segment * 1000000000 + :client_id * 10000000 + :n / 20
\set run 10000000 + abs(hash(:tail)) % 90000000
"""

_NEXT = r"""
\set n :n + 1
\set seq :segment * 1000000000000 + :client_id * 1000000000 + :n
"""
_NEW_KEY = r"""
\set a random(1000000000000000, 9999999999999999)
\set b random(1000000000000000, 9999999999999999)
\set c random(1000000000000000, 9999999999999999)
\set d random(1000000000000000, 9999999999999999)
"""
_STORED_KEY = r"""
\set a 1000000000000000 + :i
\set b 1000000000000000 + random(1, :stored)
\set c 1111111111111111
\set d 1111111111111111
"""

RUN_ID = ":run::text || '-4f0c-4a8e-9d5d-' || :tail::text"
_KEY = ":a::text || :b::text || :c::text || :d::text"

_INSERT = Template("""
insert into floor.run_events ($columns)
values (
    $run_id, :seq, gen_random_uuid(), :event_type, :step, 1, 1, :plan, :plan_version, decode($key, 'hex'), :payload,
    clock_timestamp(), clock_timestamp(), :adapter
);
""").substitute(columns=", ".join(COLUMNS), run_id=RUN_ID, key=_KEY)
_APPEND = Template("""
select * from runstore.append_event(
    $run_id, :event_type, clock_timestamp(), :tenant, :project, :environment, :plan, :plan_version, 1, 1, $key,
    gen_random_uuid(), :step, :payload, :adapter
);
""").substitute(run_id=RUN_ID, key=_KEY)


def insert(run: str) -> str:
    """Return the script of the floor: one plain INSERT."""
    return _NEXT + run + _NEW_KEY + _INSERT


def append(run: str) -> str:
    """Return the script that appends a new event."""
    return _NEXT + run + _NEW_KEY + _APPEND


def retry() -> str:
    """Return the script that sends an event again that is stored already."""
    return _NEXT + ANY_RUN + _STORED_KEY + _APPEND


@dataclass(frozen=True)
class Load:
    """What pgbench got through."""

    transactions: int
    per_second: float
    by_script: list[int]
    """Transactions of each script."""


def run(
    lab: Lab,
    database: str,
    scripts: list[str],
    *,
    clients: int = 1,
    seconds: int | None = None,
    transactions: int | None = None,
    variables: Mapping[str, int] | None = None,
    settings: Mapping[str, str] | None = None,
    options: Sequence[str] = (),
) -> Load:
    """Run the scripts, each as often as the others, for some seconds or a number of transactions per client.

    Further options of pgbench may be given.
    """
    program = lab.server.bin_dir / "pgbench"
    if not program.exists():
        raise RuntimeError("this PostgreSQL comes without pgbench: install it, or choose another with PG_BIN")
    amount = ["--time", str(seconds)] if seconds else ["--transactions", str(transactions)]
    chosen = {**FIELDS, "n": 0, **(variables or {})}
    command = [
        *(str(program), "--no-vacuum", "--protocol=prepared", *amount, *options),
        *("--client", str(clients), "--jobs", str(min(clients, os.cpu_count() or 1))),
        *(f"--define={name}={value}" for name, value in chosen.items()),
        *(f"--file={_script(lab.scratch, number, script)}" for number, script in enumerate(scripts)),
        lab.dsn(database, **(settings or {})),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"pgbench failed:\n{done.stderr}")
    total = int(_number(r"actually processed: (\d+)", done.stdout))
    return Load(
        transactions=total,
        per_second=_number(r"tps = ([0-9.]+)", done.stdout),
        by_script=[int(count) for count in re.findall(r"^ - (\d+) transactions", done.stdout, re.M)] or [total],
    )


def _script(directory: Path, number: int, text: str) -> Path:
    path = directory / f"{number}.sql"
    path.write_text(text)
    return path


def _number(pattern: str, text: str) -> float:
    found = re.search(pattern, text)
    if not found:
        raise RuntimeError(f"pgbench said nothing of {pattern}:\n{text}")
    return float(found.group(1))
