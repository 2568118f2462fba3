"""The rules in the JavaScript functions are the rows of PostgreSQL, and are written anew from them."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from frozen import ROOT

SCRIPT = Path("sql") / "generate_snowflake_rules.py"
FOLD = Path("sql") / "snowflake" / "project" / "fold_events.sql"
CHECK = Path("sql") / "snowflake" / "check" / "check_events.sql"
RULES = re.compile(r"(?<=^// rules: begin).*(?=^// rules: end$)", re.MULTILINE | re.DOTALL)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The generator and the files that it writes, to be changed."""
    for file in (SCRIPT, FOLD, CHECK):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    return tmp_path


def test_the_rules_in_the_functions_are_those_of_postgresql(dsn: str) -> None:
    checked = _generate(ROOT, dsn, "--check")
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize(
    ("change", "changed"),
    [
        ("insert into runstore.event_types (event_type, step_rule) values ('StepNoted', 'REQUIRED')", [CHECK]),
        ("update runstore.event_rules set hint = 'Don''t say \"x\\y\".' where rule = 'planId'", [CHECK]),
        ("update runstore.event_fields set json_type = 'string' where field = 'payload'", [CHECK]),
        ("delete from runstore.transitions where event_type = 'StepStarted' and from_status = 'SUCCESS'", [FOLD]),
        ("update runstore.event_effects set takes_error = true where event_type = 'RunCancelled'", [FOLD]),
        ("update runstore.event_effects set target_status = 'RUNNING' where event_type = 'RunQueued'", [FOLD]),
        ("delete from runstore.event_rules where rule = 'planId'; delete from runstore.event_effects", [FOLD, CHECK]),
    ],
)
def test_other_rows_make_other_rules(dsn: str, copy: Path, change: str, changed: list[Path]) -> None:
    with psycopg.connect(dsn) as connection:
        connection.execute(change.encode())
    before = {file: (copy / file).read_text() for file in (FOLD, CHECK)}

    checked = _generate(copy, dsn, "--check")
    assert checked.returncode == 1
    assert checked.stderr == f"out of date: {', '.join(map(str, changed))}; run make snowflake-rules\n"
    assert before == {file: (copy / file).read_text() for file in (FOLD, CHECK)}

    assert _generate(copy, dsn).returncode == 0
    for file, text in before.items():
        written = (copy / file).read_text()
        assert (written != text) == (file in changed)
        assert RULES.sub("", written) == RULES.sub("", text)
    assert _generate(copy, dsn, "--check").returncode == 0


@pytest.mark.parametrize("file", [FOLD, CHECK], ids=lambda file: file.stem)
def test_a_rule_that_was_edited_by_hand_is_found_and_written_anew(dsn: str, copy: Path, file: Path) -> None:
    text = (copy / file).read_text()
    (copy / file).write_text(text.replace("'Run", "'Ran", 1))
    checked = _generate(copy, dsn, "--check")
    assert (checked.returncode, checked.stderr) == (1, f"out of date: {file}; run make snowflake-rules\n")
    _generate(copy, dsn)
    assert (copy / file).read_text() == text


@pytest.mark.parametrize("marker", ["// rules: begin", "// rules: end"])
def test_a_file_without_its_markers_is_left_alone(dsn: str, copy: Path, marker: str) -> None:
    text = (copy / FOLD).read_text().replace(marker, "//")
    (copy / FOLD).write_text(text)
    written = _generate(copy, dsn)
    assert written.returncode == 1
    assert "marker comments" in written.stderr
    assert (copy / FOLD).read_text() == text


def _generate(root: Path, dsn: str, *options: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(root / SCRIPT), "--dsn", dsn, *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)
