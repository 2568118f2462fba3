"""The operating-system account that a server runs under."""

import os
import pwd
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict


class _Switch(TypedDict, total=False):
    user: int
    group: int
    extra_groups: list[int]


@dataclass(frozen=True)
class Account:
    """Who owns the server's files and runs its processes; PostgreSQL refuses to be root."""

    uid: int
    gid: int
    name: str

    @property
    def differs(self) -> bool:
        """Whether a process has to change its user to act as this account."""
        return self.uid != os.geteuid()

    def switch(self) -> _Switch:
        """Return what subprocess needs to run a program as this account, without root's other groups."""
        return {"user": self.uid, "group": self.gid, "extra_groups": []} if self.differs else {}

    def can_run(self, program: Path) -> bool:
        """Whether this account can really start the program, its libraries included."""
        return self._succeeds([str(program), "--version"])

    def can_reach(self, directory: Path) -> bool:
        """Whether this account can enter the directory, whatever modes and access lists lie on the way."""
        return self._succeeds(["/bin/sh", "-c", 'cd "$1"', "sh", str(directory)])

    def give(self, path: Path, mode: int) -> None:
        """Make the account the owner of the path."""
        path.chmod(mode)
        if self.differs:
            os.chown(path, self.uid, self.gid)

    def let_read(self, path: Path) -> None:
        """Let the account read or enter the path, which stays ours: it must not be able to change it."""
        if self.differs:
            os.chown(path, -1, self.gid)
            path.chmod(0o750 if path.is_dir() else 0o640)
        else:
            path.chmod(0o700 if path.is_dir() else 0o600)

    def _succeeds(self, command: Sequence[str]) -> bool:
        try:
            done = subprocess.run(
                command, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, **self.switch()
            )
        except OSError:
            return False
        return done.returncode == 0


def server_account() -> Account:
    """Return the account for a server: ourselves, or for root one of the accounts that every system has."""
    if os.geteuid() != 0:
        uid = os.geteuid()
        return Account(uid, os.getegid(), str(uid))
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        if entry.pw_uid != 0:
            return Account(entry.pw_uid, entry.pw_gid, name)
    raise RuntimeError("PostgreSQL refuses to run as root, and there is no user postgres or nobody to run it as")
