"""What is built can be installed anywhere, and is a whole deployment."""

import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
import runstore
from frozen import ROOT
from support import Connect
from terminal import STORY, lines

VERSION = runstore.__version__


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source archive."""
    directory = tmp_path_factory.mktemp("sdist")
    _run([sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(directory)], ROOT)
    return directory / f"runstore-{VERSION}.tar.gz"


@pytest.fixture(scope="module")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the source archive: what that lacks, the wheel lacks."""
    directory = tmp_path_factory.mktemp("wheel")
    with tarfile.open(sdist) as archive:
        archive.extractall(directory, filter="data")
    source = directory / f"runstore-{VERSION}"
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "wheel"]
    _run([*pip, "--no-deps", "--no-build-isolation", "--wheel-dir", str(directory), str(source)], directory)
    return directory / f"runstore-{VERSION}-py3-none-any.whl"


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a fresh virtual environment with the wheel; what it depends on is lent by this one."""
    directory = tmp_path_factory.mktemp("venv")
    venv.create(directory, with_pip=False)
    python = directory / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--python", str(python)]
    _run([*pip, "install", "--no-deps", "--no-index", str(wheel)], directory)
    site = _run([str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], directory).strip()
    # Entries of a .pth file come last, and .pth files in them (such as that of a checkout) are not read.
    (Path(site) / "lent.pth").write_text("".join(f"{sysconfig.get_path(name)}\n" for name in ("purelib", "platlib")))
    found = _run([str(python), "-c", "import runstore; print(runstore.__file__)"], directory).strip()
    assert Path(found).is_relative_to(directory)
    return directory / "bin"


def test_the_wheel_carries_all_sql_and_nothing_of_the_tests(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for part in ("migrations", "sql"):
        files = {f"runstore/_data/{path.relative_to(ROOT)}" for path in (ROOT / part).rglob("*.sql")}
        assert files
        assert files <= names
    modules = {f"runstore/{path.relative_to(ROOT / 'python' / 'runstore')}" for path in _modules()}
    assert modules | {"runstore/py.typed", f"runstore-{VERSION}.dist-info/licenses/LICENSE"} <= names
    assert {name.split("/")[0] for name in names} == {"runstore", f"runstore-{VERSION}.dist-info"}
    assert not [name for name in names if "__pycache__" in name]


def test_package_schema_and_metadata_have_one_version(wheel: Path, installed: Path, connect: Connect) -> None:
    assert connect().execute("select runstore.version()").fetchone() == (VERSION,)
    assert metadata.version("runstore") == VERSION
    assert f"\nVersion: {VERSION}\n" in zipfile.ZipFile(wheel).read(f"runstore-{VERSION}.dist-info/METADATA").decode()
    assert _run([str(installed / "runstore"), "--version"], Path("/")) == f"runstore {VERSION}\n"


def test_the_installed_wheel_is_a_whole_deployment(installed: Path, empty_dsn: str, tmp_path: Path) -> None:
    command = str(installed / "runstore")
    dsn = ["--dsn", empty_dsn]
    events = tmp_path / "events.jsonl"
    events.write_text(lines(*STORY))
    applied = _run([command, "migrate", *dsn], tmp_path).splitlines()
    assert applied == [f"applied {name}" for name in runstore_migrations()]
    assert _run([command, "append", "events.jsonl", *dsn], tmp_path) == "7 events stored\n"
    assert _run([command, "worker", "--once", *dsn], tmp_path) == "runs brought up to date: 1\n"
    assert "status     RUNNING\n" in _run([command, "show", "load-7", *dsn], tmp_path)
    assert _run([command, "export", "out", *dsn], tmp_path) == "7 events of 1 run exported to out/events.csv\n"
    assert _run([command, "health", *dsn], tmp_path).startswith("healthy\n")


def test_the_quickstart_of_the_readme_works_as_printed(installed: Path, empty_dsn: str, tmp_path: Path) -> None:
    """All but its first two lines: the package is installed already, and the database is the test's."""
    block = (ROOT / "README.md").read_text().split("```sh\n")[1].split("```")[0]
    install, setting, rest = block.split("\n", 2)
    assert install == "pip install runstore"
    assert setting.startswith("export RUNSTORE_DSN=")
    environment = {"PATH": f"{installed}:{os.environ['PATH']}", "LANG": "C.UTF-8", "RUNSTORE_DSN": empty_dsn}
    done = subprocess.run(
        ["bash", "-eu", "-c", rest],  # noqa: S607  # whichever bash there is
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "2 events stored\nruns brought up to date: 1\n" in done.stdout
    assert "status     RUNNING\n" in done.stdout
    assert "load" in done.stdout


def test_the_installed_wheel_writes_the_same_release_sql(installed: Path, tmp_path: Path) -> None:
    _run([str(installed / "python"), "-m", "runstore.script", str(tmp_path)], tmp_path)
    ours = _run([sys.executable, "-m", "runstore.script", str(tmp_path / "ours")], tmp_path).strip()
    assert (tmp_path / f"runstore-{VERSION}.sql").read_bytes() == Path(ours).read_bytes()


def runstore_migrations() -> list[str]:
    """Return the names of the migrations, as the files have them."""
    files = (ROOT / "migrations" / "postgres").glob("*.sql")
    return sorted(path.stem for path in files if not path.name.endswith(".rollback.sql"))


def _modules() -> list[Path]:
    return list((ROOT / "python" / "runstore").rglob("*.py"))


def _run(command: list[str], directory: Path) -> str:
    """Run a program with hardly an environment, somewhere else than in the checkout where that matters."""
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LANG": "C.UTF-8"}
    done = subprocess.run(
        command, cwd=directory, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
