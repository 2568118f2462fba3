"""A PostgreSQL server of our own: for the demo, the tests and the benchmarks.

Nothing of it is shared with other servers of the machine, it needs no installation beyond the programs, and
it works for root as well as for an ordinary user.
"""

import contextlib
import json
import os
import secrets
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Literal

from psycopg.conninfo import make_conninfo

from runstore._account import Account, server_account
from runstore._binaries import BinariesNotFoundError, find_binaries, find_psql
from runstore._processes import children, is_alive, wait_gone, works_in

__all__ = ["BinariesNotFoundError", "Server", "ServerError", "find_binaries", "find_psql", "private_home"]

SUPERUSER = "postgres"
# A unix socket's path is limited to about 103 bytes, which a temporary directory's usual place can exceed.
_SOCKET_PARENT = "/tmp"  # noqa: S108  # a private directory is made in it by mkdtemp
_PERSISTENT_PARENT = "/var/tmp"  # noqa: S108  # likewise


class ServerError(RuntimeError):
    """The server could not do what was asked; the message carries the end of its log where that helps."""


class Server:
    """One PostgreSQL server, wholly inside a home directory of its own (and a short one for its socket).

    Whoever can enter the socket directory is trusted; that is only the user who made the server (and the
    account it runs under). TCP listens on the loopback address only and asks for the password in the home
    directory, so that other users of the machine do not get in.
    """

    def __init__(
        self,
        home: Path,
        *,
        pg_bin: str | None = None,
        port: int | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        self.home = home.absolute()
        self.data_dir = self.home / "data"
        self.log_file = self.home / "server.log"
        self.settings = dict(settings or {})
        self._fixed_port = port
        self._process: subprocess.Popen[bytes] | None = None
        self._facts = self._load_facts()
        self.account: Account = server_account()
        known = self._facts.get("bin_dir")
        self.bin_dir = find_binaries(known if known and Path(known).is_dir() else pg_bin)

    @classmethod
    def temporary(
        cls, *, pg_bin: str | None = None, port: int | None = None, settings: Mapping[str, str] | None = None
    ) -> "Server":
        """Return an initialised server in a fresh home; destroy() removes all of it."""
        home = Path(tempfile.mkdtemp(prefix="runstore-", dir=_SOCKET_PARENT))
        try:
            server = cls(home, pg_bin=pg_bin, port=port, settings=settings)
            server.init()
        except BaseException:
            shutil.rmtree(home, ignore_errors=True)
            raise
        return server

    def __enter__(self) -> "Server":
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.destroy()

    @property
    def initialised(self) -> bool:
        """Whether the data directory is complete."""
        return "socket_dir" in self._facts

    @property
    def programs(self) -> str:
        """The directory of the programs that run: bin_dir, or the copy that the account can read."""
        return self._fact("programs")

    @property
    def socket_dir(self) -> Path:
        """The directory of the unix socket."""
        return Path(self._fact("socket_dir"))

    @property
    def port(self) -> int:
        """The port, on the loopback address and in the name of the socket."""
        return int(self._fact("port"))

    @property
    def password(self) -> str:
        """The superuser's password, for TCP."""
        return (self.home / "password").read_text()

    @property
    def pid(self) -> int | None:
        """The postmaster's process id, None when it does not run."""
        pid = self._recorded_pid()
        return pid if pid and is_alive(pid) and works_in(pid, self.data_dir.resolve()) else None

    def status(self) -> Literal["absent", "stopped", "running"]:
        """Say whether there is a server here and whether it runs."""
        if not self.initialised:
            return "absent"
        return "running" if self.pid else "stopped"

    def dsn(self, dbname: str = "postgres", **parameters: str) -> str:
        """Return connection parameters through the socket, for libpq, psql and psycopg."""
        defaults = {"host": str(self.socket_dir), "port": str(self.port), "user": SUPERUSER, "dbname": dbname}
        return make_conninfo("", **{**defaults, **parameters})

    def tcp_dsn(self, dbname: str = "postgres", **parameters: str) -> str:
        """Return connection parameters through TCP, for clients that cannot use a unix socket."""
        return self.dsn(dbname, **{"host": "127.0.0.1", "password": self.password, **parameters})

    def init(self) -> None:
        """Create the data directory, the password and the socket directory."""
        if self.initialised:
            raise ServerError(f"there is a server in {self.home} already")
        self.home.mkdir(parents=True, exist_ok=True)
        for remains in (self.data_dir, self.home / "pgsql"):
            shutil.rmtree(remains, ignore_errors=True)
        self.account.let_read(self.home)
        if not self.account.can_reach(self.home):
            raise ServerError(f"user {self.account.name} cannot enter {self.home}, so no server can run there")
        programs = self._readable_programs()
        _write_private(self.home / "password", secrets.token_urlsafe(24))
        self._initdb(programs)
        include = f"\ninclude_if_exists = {_quoted(str(self.home / 'settings.conf'))}\n"
        with (self.data_dir / "postgresql.conf").open("a") as conf:
            conf.write(include)
        self._facts = {
            "bin_dir": str(self.bin_dir),
            "programs": str(programs),
            "socket_dir": str(self._make_socket_dir()),
            "port": str(self._fixed_port or _free_port()),
        }
        self._save_facts()

    def start(self, timeout: float = 120) -> None:
        """Start the server, and return when it takes connections; it outlives this process."""
        if self.pid:
            return
        self._write_settings()
        if not self.socket_dir.is_dir():
            self._facts["socket_dir"] = str(self._make_socket_dir())
            self._save_facts()
        if not (Path(self.programs) / "postgres").exists():
            self._facts |= {"bin_dir": str(self.bin_dir), "programs": str(self._readable_programs())}
            self._save_facts()
        began = time.monotonic()
        while not self._try_start(began + timeout, retry_until=began + 10):
            time.sleep(0.2)

    def stop(self, timeout: float = 60) -> None:
        """Stop the server in an orderly way, without waiting for its clients to leave."""
        self._signal_and_wait(signal.SIGINT, timeout)

    def restart(self, timeout: float = 120) -> None:
        """Stop the server if it runs, and start it again."""
        self.stop()
        self.start(timeout)

    def kill(self) -> None:
        """Crash the server: no process of it gets a chance to finish anything.

        The postmaster is frozen first, so that no child can appear after the list of children was made.
        """
        pid = self.pid
        if pid is None:
            return
        os.kill(pid, signal.SIGSTOP)
        everyone = [pid, *children(pid)]
        for victim in everyone:
            with contextlib.suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
        self._reap(10)
        if not wait_gone(everyone, 10):
            raise ServerError("processes of the killed server are still there after 10 s")

    def destroy(self) -> None:
        """Stop the server and remove everything it has on disk."""
        if self.pid:
            try:
                self.stop(timeout=20)
            except ServerError:
                self.kill()
        if self.initialised:
            shutil.rmtree(self.socket_dir, ignore_errors=True)
        shutil.rmtree(self.home)
        self._facts = {}

    def log_tail(self, size: int = 4000) -> str:
        """Return the end of the server's log."""
        return self.log_file.read_text(errors="replace")[-size:] if self.log_file.exists() else ""

    def _try_start(self, deadline: float, *, retry_until: float) -> bool:
        """Start once; False when a retry makes sense: a crash's lock file, or a port taken meanwhile."""
        if self._fixed_port is None and not _is_free(self.port):
            self._facts["port"] = str(_free_port())
            self._save_facts()
        before = self.log_file.stat().st_size if self.log_file.exists() else 0
        command = [
            str(Path(self.programs) / "postgres"),
            *("-D", str(self.data_dir)),
            *("-k", str(self.socket_dir)),
            *("-p", str(self.port)),
            *("-c", "listen_addresses=127.0.0.1"),
        ]
        with self.log_file.open("ab") as log:
            self._process = subprocess.Popen(
                command,
                cwd="/",
                env=_server_environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                **self.account.switch(),
            )
        while self._process.poll() is None:
            if self._is_ready(self._process.pid):
                return True
            if time.monotonic() > deadline:
                self.kill()
                raise ServerError(f"the server was not ready in time:\n{self.log_tail()}")
            time.sleep(0.02)
        with self.log_file.open("rb") as log:
            log.seek(before)
            said = log.read().decode(errors="replace")
        locked = "lock file" in said and "already exists" in said
        port_lost = self._fixed_port is None and "could not bind" in said
        if (locked or port_lost) and time.monotonic() < retry_until:
            return False
        raise ServerError(f"the server did not start:\n{said}")

    def _is_ready(self, pid: int) -> bool:
        """Read what pg_ctl reads: the postmaster reports its state in the last line of its pid file."""
        try:
            lines = (self.data_dir / "postmaster.pid").read_text().splitlines()
        except OSError:
            return False
        return len(lines) >= 8 and lines[0] == str(pid) and lines[7].strip() == "ready"

    def _recorded_pid(self) -> int | None:
        try:
            return int((self.data_dir / "postmaster.pid").read_text().split("\n", 1)[0])
        except (OSError, ValueError):
            return None

    def _signal_and_wait(self, signum: signal.Signals, timeout: float) -> None:
        pid = self.pid
        if pid is None:
            return
        os.kill(pid, signum)
        self._reap(timeout)
        if not wait_gone([pid], timeout):
            raise ServerError(f"the server did not stop within {timeout:g} s:\n{self.log_tail()}")

    def _reap(self, timeout: float) -> None:
        """Collect our own child, so that it does not look alive to the next server's lock file check."""
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout)

    def _initdb(self, programs: Path) -> None:
        self.data_dir.mkdir()
        self.account.give(self.data_dir, 0o700)
        password_file = self.home / "initdb-password"
        _write_private(password_file, self.password)
        self.account.give(password_file, 0o600)
        command = [
            str(programs / "initdb"),
            *("-D", str(self.data_dir), "-U", SUPERUSER),
            *("--no-sync", "--encoding=UTF8", "--no-locale"),
            *("--auth-local=trust", "--auth-host=scram-sha-256", f"--pwfile={password_file}"),
        ]
        try:
            done = subprocess.run(
                command,
                cwd="/",
                env=_server_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
                **self.account.switch(),
            )
        finally:
            password_file.unlink()
        if done.returncode != 0:
            shutil.rmtree(self.data_dir, ignore_errors=True)
            raise ServerError(f"initdb failed:\n{done.stdout}")

    def _readable_programs(self) -> Path:
        """Return programs that the server's account can run, copied into the home if it has to be.

        That is the case when root's own files are closed to others, as a virtual environment below a closed
        home directory is. The copy stays ours: the account can run it, not change it.
        """
        if all(self.account.can_run(self.bin_dir / program) for program in ("postgres", "initdb")):
            return self.bin_dir
        prefix = self.bin_dir.parent
        package = prefix.parent
        libraries = package.with_name(f"{package.name}.libs")
        copy = self.home / "pgsql"
        # Programs from a Python wheel find their libraries beside the package, so the places must stay alike.
        roots = [package, libraries] if libraries.is_dir() else [prefix]
        for root in roots:
            shutil.copytree(root, copy / root.name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        _open_for_reading(copy)
        programs = copy / self.bin_dir.relative_to(roots[0].parent)
        if not self.account.can_run(programs / "postgres"):
            raise ServerError(f"user {self.account.name} can run neither {self.bin_dir} nor a copy of it")
        return programs

    def _make_socket_dir(self) -> Path:
        directory = Path(tempfile.mkdtemp(prefix="rs-", dir=_SOCKET_PARENT))
        self.account.give(directory, 0o700)
        return directory

    def _write_settings(self) -> None:
        path = self.home / "settings.conf"
        path.write_text("".join(f"{name} = {_quoted(value)}\n" for name, value in self.settings.items()))
        self.account.let_read(path)

    def _fact(self, name: str) -> str:
        try:
            return self._facts[name]
        except KeyError:
            raise ServerError(f"there is no server in {self.home}") from None

    def _load_facts(self) -> dict[str, str]:
        path = self.home / "server.json"
        if not path.exists():
            return {}
        facts: dict[str, str] = json.loads(path.read_text())
        return facts

    def _save_facts(self) -> None:
        _write_private(self.home / "server.json", json.dumps(self._facts, indent=2) + "\n")


def private_home(preferred: Path) -> Path:
    """Return a directory for a server's home: the preferred one, or for root another if it is out of reach.

    A checkout may lie below a directory that only root can enter; the server's account could not work there.
    """
    preferred.mkdir(parents=True, exist_ok=True)
    account = server_account()
    account.let_read(preferred)
    if account.can_reach(preferred):
        return preferred
    home = Path(tempfile.mkdtemp(prefix="runstore-", dir=_PERSISTENT_PARENT))
    account.let_read(home)
    return home


def _server_environment() -> dict[str, str]:
    """Return our environment without what would steer a PostgreSQL program elsewhere."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_", "LANG"))}
    return {**kept, "LC_ALL": "C"}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _quoted(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"


def _write_private(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)


def _open_for_reading(top: Path) -> None:
    """Let everybody who can enter the directory above read this tree, and only us change it."""
    for directory, _, files in os.walk(top):
        Path(directory).chmod(0o755)
        for name in files:
            path = Path(directory, name)
            if not path.is_symlink():
                path.chmod(0o755 if path.stat().st_mode & stat.S_IXUSR else 0o644)
