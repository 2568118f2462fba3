"""What the documentation says is so: its examples run as printed, its links lead somewhere, its lists are complete.

A block of SQL is what a person would paste into psql, and it runs there: the blocks of a page in order, each in a
session of its own, in a database of the page's own. Three things in a block are checked:

- it must succeed, or fail with the SQLSTATE that a comment `-- fails: RS001` in it names;
- a query in it must find something, unless a comment `-- no rows` in it says that there is nothing;
- a block of ```text right after it is what psql prints, but for ids and times.

README.md is read by somebody who has just installed the store, so its database is empty. On the other pages there are
the runs below, and something is wrong with most of them.
"""

import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
import runstore
from appends import append, event
from frozen import ROOT
from projections import run_event
from psycopg import sql
from runstore.embedded import Server, find_psql
from support import Connection, cloned, make_template, run_sql

PAGES = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")] + sorted(ROOT.glob("docs/*.md"))
WITH_SQL = [page for page in PAGES if "```sql\n" in page.read_text()]

_FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)
_FAILS = re.compile(r"-- fails: (\w{5})\b")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_IDS_AND_TIMES = re.compile(
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?(\+\d\d|Z)"
)
OURS: dict[str, Any] = {
    "tenantId": "acme",
    "projectId": "billing",
    "environmentId": "prod",
    "planId": "nightly",
    "planVersion": "7",
}


@dataclass(frozen=True)
class Block:
    """A block of SQL, where it stands, and what is to come of it."""

    line: int
    text: str
    output: str | None

    @property
    def error(self) -> str | None:
        """The SQLSTATE that it must fail with."""
        found = _FAILS.search(self.text)
        return found[1] if found else None


def _blocks(page: Path) -> list[Block]:
    text = page.read_text()
    fences = list(_FENCE.finditer(text))
    following = [*fences[1:], None]
    return [
        Block(
            line=text[: fence.start("text")].count("\n") + 1,
            text=textwrap.dedent(fence["text"]),
            output=after["text"]
            if after and after["language"] == "text" and not text[fence.end() : after.start()].strip()
            else None,
        )
        for fence, after in zip(fences, following, strict=True)
        if fence["language"] == "sql"
    ]


@pytest.fixture(scope="module")
def own(pg_bin: str | None) -> Iterator[Server]:
    """A server of this module's own: the examples make logins, which belong to all databases of a server."""
    with Server.temporary(pg_bin=pg_bin) as server:
        server.start()
        make_template(server, "empty_store")
        make_template(server, "troubled_store")
        with psycopg.connect(server.dsn("troubled_store"), autocommit=True) as connection:
            _make_trouble(connection)
        yield server


@pytest.fixture
def page_dsn(own: Server, request: pytest.FixtureRequest) -> Iterator[str]:
    """A database for one page, and none of its logins afterwards."""
    with cloned(own, "empty_store" if request.param == ROOT / "README.md" else "troubled_store") as name:
        yield own.dsn(name)
    with psycopg.connect(own.dsn(), autocommit=True) as connection:
        made = connection.execute("select rolname from pg_roles where rolname !~ '^(pg_|runstore_)|^postgres$'")
        for (login,) in made.fetchall():
            run_sql(own, sql.SQL("drop role {}").format(sql.Identifier(login)))


def _make_trouble(connection: Connection) -> None:
    """Make the runs that the pages talk about."""
    for run in ("run-1", "run-2", "run-3", "run-4"):
        append(connection, run_event(run, "RunStarted", **OURS))
        append(connection, event(run, "load", eventType="StepStarted", **OURS))
        append(connection, event(run, "load", eventType="StepFailed", payload={"error": {"code": "TIMEOUT"}}, **OURS))
        append(connection, event(run, "load", eventType="StepStarted", logicalAttemptId=2, **OURS))
    # run-1: a producer uses a key again, and an event comes that the run does not allow.
    append(connection, event("run-1", "load", eventType="StepStarted", payload={"host": "b"}, **OURS))
    append(connection, run_event("run-1", "RunResumed", **OURS))
    # run-2: an event is lost, and is in a backup. run-3: an event is spoilt.
    connection.execute("create schema restored")
    connection.execute("create table restored.run_events as select * from runstore.run_events")
    connection.execute("alter table runstore.run_events disable trigger run_events_guard")
    connection.execute("delete from runstore.run_events where run_id = 'run-2' and run_seq = 3")
    connection.execute("update runstore.run_events set step_id = null where run_id = 'run-3' and run_seq = 3")
    connection.execute("alter table runstore.run_events enable always trigger run_events_guard")
    connection.execute("select runstore.project_pending()")
    # run-5: no worker has come by for a while.
    append(connection, run_event("run-5", "RunStarted", **OURS))
    connection.execute("update runstore.due_runs set due_since = due_since - interval '1 minute'")
    connection.execute("select runstore.check_health()")


@pytest.mark.parametrize(
    ("page", "page_dsn"), [(page, page) for page in WITH_SQL], ids=lambda page: page.name, indirect=["page_dsn"]
)
def test_the_sql_of_a_page_runs_as_printed(page: Path, page_dsn: str, own: Server) -> None:
    blocks = _blocks(page)
    assert len(blocks) == page.read_text().count("```sql")
    for block in blocks:
        problem = _problem(_psql(own, page_dsn, block.text), block)
        assert problem is None, f"{page.name}:{block.line}: {problem}"


def _psql(server: Server, dsn: str, text: str) -> subprocess.CompletedProcess[str]:
    options = ["--no-psqlrc", "--set", "ON_ERROR_STOP=1", "--set", "VERBOSITY=verbose", "--pset", "pager=off"]
    return subprocess.run(
        [str(find_psql(server.bin_dir)), *options, "--file", "-", dsn],
        input=text,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PGTZ": "UTC"},
    )


def _problem(done: subprocess.CompletedProcess[str], block: Block) -> str | None:
    said = f"\n{done.stdout}{done.stderr}"
    if block.error:
        expected = done.returncode != 0 and f"ERROR:  {block.error}: " in done.stderr
        return None if expected else f"does not fail with {block.error}:{said}"
    if done.returncode or "ERROR:" in done.stderr:
        return f"fails:{said}"
    if ("(0 rows)" in done.stdout) != ("-- no rows" in block.text):
        return f"a query finds nothing, or something where it says that there is nothing:{said}"
    if block.output is not None and _shape(block.output) != _shape(done.stdout):
        return f"prints something else:{said}"
    return None


def _shape(output: str) -> list[str]:
    """Return what psql printed without ids, times and the widths that follow from them."""
    return [re.sub(r"\s+|-{2,}", " ", _IDS_AND_TIMES.sub("…", line)).strip() for line in output.strip().splitlines()]


@pytest.mark.parametrize(
    ("text", "output", "fine"),
    [
        ("select 1 as one;", None, True),
        ("select 1 as one;", " one \n-----\n   1\n(1 row)\n", True),
        ("select 1 as one;", " one \n-----\n   2\n(1 row)\n", False),
        ("select gen_random_uuid() as id;", " id\n--\n 87ba467d-0760-4379-b8f9-72d95ecda7af\n(1 row)\n", True),
        ("select 1 where false;", None, False),
        ("select 1 where false; -- no rows", None, True),
        ("select 1; -- no rows", None, False),
        ("select 1 / 0;", None, False),
        ("select 1 / 0; -- fails: 22012", None, True),
        ("select 1 / 0; -- fails: RS001", None, False),
        ("select 1; -- fails: RS001", None, False),
    ],
)
def test_an_example_that_does_not_do_what_it_says_is_found(
    own: Server, text: str, output: str | None, fine: bool
) -> None:
    done = _psql(own, own.dsn("empty_store"), text)
    assert (_problem(done, Block(1, text, output)) is None) is fine


def test_the_python_of_the_readme_runs(dsn: str) -> None:
    text = (ROOT / "README.md").read_text()
    blocks = [fence["text"] for fence in _FENCE.finditer(text) if fence["language"] == "python"]
    assert len(blocks) == 1
    names: dict[str, object] = {"dsn": dsn}
    exec(compile(blocks[0], "README.md", "exec"), names)  # noqa: S102  # our own page
    with psycopg.connect(dsn) as connection:
        assert connection.execute("select run_id, run_seq from runstore.run_event_records").fetchall() == [("run-1", 1)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    text = _FENCE.sub("", page.read_text())
    links = [link for link in _LINK.findall(text) if not re.match(r"https?://|mailto:", link)]
    assert [link for link in links if not _leads_somewhere(page, link)] == []


def _leads_somewhere(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.exists():
        return False
    return not anchor or anchor in {_anchor(heading) for heading in _HEADING.findall(target.read_text())}


def _anchor(heading: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_every_page_can_be_reached_from_the_readme() -> None:
    linked = set(_LINK.findall((ROOT / "README.md").read_text()))
    assert {str(page.relative_to(ROOT)) for page in PAGES} - linked == {"README.md"}


def test_the_reference_is_what_the_catalog_says(dsn: str) -> None:
    script = [sys.executable, str(ROOT / "docs" / "generate_reference.py"), "--dsn", dsn]
    made = subprocess.run(script, capture_output=True, text=True, check=True).stdout
    assert (ROOT / "docs" / "reference.md").read_text() == made, "it is out of date: make reference"


def test_the_runbook_has_a_section_for_every_alert_and_every_error(dsn: str) -> None:
    text = (ROOT / "docs" / "operators.md").read_text()
    sections = re.findall(r"^### ((?:RS\d{3} )?[A-Z][A-Z_]+)$", text, re.MULTILINE)
    with psycopg.connect(dsn) as connection:
        alerts = connection.execute("select code from runstore.alert_codes").fetchall()
        errors = connection.execute("select code || ' ' || name from runstore.error_codes").fetchall()
    assert sorted(sections) == sorted(name for (name,) in [*alerts, *errors])


def test_the_change_log_names_the_version_of_the_package() -> None:
    assert f"## [{runstore.__version__}]" in (ROOT / "CHANGELOG.md").read_text()
