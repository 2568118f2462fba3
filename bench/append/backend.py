"""The CPU time of a backend, user and system together."""

import os
from pathlib import Path

from lab import Connection

_PROC = Path("/proc")


def can_be_measured() -> bool:
    """Whether this system tells the CPU time of other processes in /proc."""
    return (_PROC / "self" / "stat").exists()


def cpu_us(connection: Connection) -> float:
    """Return the microseconds of CPU that the connection's backend has used so far."""
    process = _PROC / str(connection.info.backend_pid)
    precise = process / "schedstat"
    if precise.exists():
        return int(precise.read_text().split()[0]) / 1000
    # The name of the program is in brackets and may hold anything; utime and stime are the 14th and 15th field.
    fields = (process / "stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1_000_000 / os.sysconf("SC_CLK_TCK")
