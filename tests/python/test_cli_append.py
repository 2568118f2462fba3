"""runstore append: events from JSON lines, in batches, up to the line that is refused."""

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest
from support import Connect
from terminal import COMMAND, STORY, environment, lines, moment, outcome, run

NO_STEP = (
    "INVALID_EVENT: stepId is missing: expected a step id, because the event is about a step "
    "(hint: Name the step, or use an event type that is about the run.)"
)


def test_a_file_is_stored_and_sent_again_changes_nothing(dsn: str, tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text(lines(*STORY))
    assert outcome(dsn, "append", str(path)) == (0, "7 events stored\n", "")
    assert outcome(dsn, "append", str(path), "--batch", "2") == (0, "0 events stored, 7 known already\n", "")
    assert len(_stored(dsn)) == 7


def test_blank_lines_and_a_missing_last_newline_are_fine(dsn: str) -> None:
    given = "\n" + lines(STORY[0]) + "  \n\n" + lines(STORY[1]).rstrip("\n")
    assert outcome(dsn, "append", stdin=given) == (0, "2 events stored\n", "")


def test_nothing_is_nothing(dsn: str) -> None:
    assert outcome(dsn, "append", stdin="") == (0, "0 events stored\n", "")


def test_json_prints_an_answer_per_event(dsn: str) -> None:
    answer = '{"eventId": "<id>", "runSeq": %d, "persistedAt": "<time>", "idempotent": %s, "persisted": %s}\n'
    first, again = outcome(dsn, "append", "--json", stdin=lines(*STORY[:2])), lines(*STORY[1:3])
    assert first == (0, answer % (1, "false", "true") + answer % (2, "false", "true"), "2 events stored\n")
    assert outcome(dsn, "append", "-", "--json", "--batch", "1", stdin=again) == (
        0,
        answer % (2, "true", "false") + answer % (3, "false", "true"),
        "1 event stored, 1 known already\n",
    )


@pytest.mark.parametrize("batch", ["1", "3", "500"])
def test_everything_before_a_refused_line_is_stored_and_nothing_after_it(dsn: str, batch: str) -> None:
    given = lines(*STORY[:4], moment("StepStarted", 5), *STORY[4:])
    assert outcome(dsn, "append", "--batch", batch, stdin=given) == (
        1,
        "",
        f"runstore: line 5: {NO_STEP}; 4 events stored\n",
    )
    assert _stored(dsn) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("nonsense", "it is not JSON: Expecting value at column 1"),
        ('{"runId": }', "it is not JSON: Expecting value at column 11"),
        ("[]", "it is not a JSON object"),
        ('{"payload": NaN}', "it is not JSON: NaN is not a number"),
        (
            '{"payload": {"n": 0.12345678901234567890}}',
            "the number 0.12345678901234567890 cannot be sent without rounding: send it as a string",
        ),
        (b"\xff", "it is not UTF-8"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(dsn: str, line: str | bytes, message: str) -> None:
    octets = line.encode() if isinstance(line, str) else line
    given = lines(*STORY[:2]).encode() + octets + b"\n" + lines(STORY[2]).encode()
    assert outcome(dsn, "append", stdin=given) == (1, "", f"runstore: line 3: {message}; 2 events stored\n")
    assert _stored(dsn) == [1, 2]


def test_text_that_postgresql_cannot_hold_is_found_in_its_batch(dsn: str) -> None:
    given = lines(*STORY[:3], moment("Note", 5, payload={"text": "\0"}), *STORY[3:])
    code, _, error = outcome(dsn, "append", stdin=given)
    assert (code, _stored(dsn)) == (1, [1, 2, 3])
    assert error == (
        "runstore: line 4: unsupported Unicode escape sequence (\\u0000 cannot be converted to text.); "
        "3 events stored\n"
    )


def test_keep_going_stores_all_that_can_be_and_names_the_rest(dsn: str) -> None:
    given = lines(*STORY[:2], moment("StepStarted", 5)) + "nonsense\n" + lines(*STORY[2:], moment("StepFailed", 6))
    assert outcome(dsn, "append", "--keep-going", stdin=given) == (
        1,
        "7 events stored, 3 lines refused\n",
        f"runstore: line 3: {NO_STEP}\n"
        "runstore: line 4: it is not JSON: Expecting value at column 1\n"
        f"runstore: line 10: {NO_STEP}\n",
    )
    assert _stored(dsn) == [1, 2, 3, 4, 5, 6, 7]


def test_a_conflict_within_a_batch_is_found_too(dsn: str, connect: Connect) -> None:
    """A refusal that only the lines before it bring about."""
    other = moment("StepStarted", 2, "other", tenantId="other")
    code, _, error = outcome(dsn, "append", stdin=lines(*STORY[:3], other))
    assert code == 1
    assert error.startswith("runstore: line 4: RUN_IDENTITY_MISMATCH: ")
    assert error.endswith("; 3 events stored\n")
    assert connect().execute("select count(*) from runstore.run_event_records").fetchone() == (3,)


def test_a_missing_file_is_one_line(dsn: str, tmp_path: Path) -> None:
    path = tmp_path / "none"
    done = run(dsn, "append", str(path))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"runstore: [Errno 2] No such file or directory: '{path}'\n"


def test_a_terminal_gets_a_progress_bar_and_a_clean_line_after_it(dsn: str, tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text(lines(*STORY))
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [*COMMAND, "append", str(path)],
        env=environment(dsn),
        stdout=subprocess.PIPE,
        stderr=theirs,
        timeout=60,
        check=True,
    )
    os.close(theirs)
    shown = os.read(ours, 10_000).decode()
    os.close(ours)
    assert shown.startswith("\r[##############################] 100%  7 events, ")
    assert shown.endswith("\r\x1b[K")
    assert done.stdout == b"7 events stored\n"


def _stored(dsn: str) -> list[int]:
    done = run(dsn, "tail", "load-7", "--no-follow", "--json")
    return [json.loads(line)["runSeq"] for line in done.stdout.splitlines()]
