"""Questions about processes that we did not necessarily start."""

import os
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path


def is_alive(pid: int) -> bool:
    """Whether the process still runs; one that only waits to be collected by its parent does not."""
    if sys.platform == "linux":
        return _linux_stat(pid)[0] not in ("", "Z", "X")
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def children(pid: int) -> list[int]:
    """Return the direct children of a process."""
    if sys.platform == "linux":
        everyone = (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())
        return [other for other in everyone if _linux_stat(other)[1] == pid]
    listing = subprocess.run(["/bin/ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True)
    pairs = (line.split() for line in listing.stdout.splitlines())
    return [int(child) for child, parent in pairs if int(parent) == pid]


def works_in(pid: int, directory: Path) -> bool:
    """Whether the process has this working directory: a recorded pid may by now belong to a stranger."""
    if sys.platform != "linux":
        return True
    try:
        return Path(f"/proc/{pid}/cwd").readlink() == directory
    except OSError:
        return False


def wait_gone(pids: Iterable[int], timeout: float) -> bool:
    """Wait until none of the processes runs any more; False when the time is over."""
    deadline = time.monotonic() + timeout
    remaining = list(pids)
    while remaining := [pid for pid in remaining if is_alive(pid)]:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def _linux_stat(pid: int) -> tuple[str, int]:
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return "", 0
    state, parent = text.rpartition(")")[2].split()[:2]
    return state, int(parent)
