"""Where the command line keeps its server, from one call to the next."""

import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from runstore._data import checkout_dir
from runstore.embedded import Server, ServerError, private_home


def default_dir() -> Path:
    """Return the state directory: beside the code in a checkout, else where the user's data belongs."""
    checkout = checkout_dir()
    if checkout:
        return checkout / ".runstore"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "runstore"


class State:
    """The state directory: it remembers where the server's home is, which need not be inside it."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory.absolute()
        self._file = self.directory / "state.json"
        self._lock = self.directory / "lock"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other commands out: two that start at once would each make a server."""
        self.directory.mkdir(parents=True, exist_ok=True)
        with self._lock.open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def server(self) -> Server | None:
        """Return the server made before, or None."""
        if not self._file.exists():
            return None
        home = Path(json.loads(self._file.read_text())["home"])
        if home.exists() and home.stat().st_uid != os.geteuid():
            raise ServerError(f"{home} belongs to another user")
        server = Server(home)
        return server if server.initialised else None

    def make_server(self) -> Server:
        """Return the server made before, or make one."""
        known = self.server()
        if known:
            return known
        home = private_home(self.directory / "server")
        self._file.write_text(json.dumps({"home": str(home)}) + "\n")
        server = Server(home)
        server.init()
        return server

    def remove(self) -> bool:
        """Destroy the server and everything we wrote, and nothing that others put beside it."""
        server = self.server()
        if server:
            server.destroy()
        shutil.rmtree(self.directory / "server", ignore_errors=True)
        self._file.unlink(missing_ok=True)
        self._lock.unlink(missing_ok=True)
        with suppress(OSError):
            self.directory.rmdir()
        return server is not None
