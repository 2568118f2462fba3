"""The projector as it is operated: the command `runstore worker`, a process of its own."""

import subprocess
import sys
import time
from types import TracebackType

from lab import Lab

_PATIENCE = 60

_WORKS = """
select count(*) from pg_stat_activity
where datname = %s and application_name = 'runstore worker' and query like '%%project_pending%%'
"""


class Projector:
    """A worker for one database, from the moment it works until it is told to stop."""

    def __init__(self, lab: Lab, database: str) -> None:
        self._lab = lab
        self._database = database
        self._log = lab.scratch / "worker.log"
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "Projector":
        command = [sys.executable, "-m", "runstore.cli", "worker", "--dsn", self._lab.dsn(self._database)]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            self._await_work(self._process)
        except BaseException:
            self._process.kill()
            self._process.wait()
            raise
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process is not None
        self._process.terminate()
        try:
            code = self._process.wait(_PATIENCE)
        except BaseException:
            self._process.kill()
            self._process.wait()
            raise
        if code != 0 and exc is None:
            raise RuntimeError(f"the worker ended with {code}:\n{self._log.read_text()}")

    def _await_work(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + _PATIENCE
        with self._lab.connect() as connection:
            while connection.execute(_WORKS, (self._database,)).fetchone() == (0,):
                if process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"the worker does not work:\n{self._log.read_text()}")
                time.sleep(0.05)
