"""runstore runs, show, tail and health: whole outputs, as a person sees them."""

import json
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from appends import append
from support import Connect
from terminal import COMMAND, STORY, environment, lines, moment, normal, outcome, run

SHOWN = """\
run        load-7
status     RUNNING
events     7
of         acme / sales / prod
started    2026-02-16 09:30:00.000Z
completed  -
took       -
failed     1 step
engine     {"workflow": "w-1"}

step     status   attempt  started                   took
extract  SUCCESS        1  2026-02-16 09:30:01.000Z  20.000 s
報告     FAILED         1  2026-02-16 09:30:21.000Z  20.000 s  {"code": "E1", "text": "\\u001b[31mred\\u202e"}
load     RUNNING        2  2026-02-16 09:30:31.000Z  -
mail     SKIPPED        1  -                         -         no\\x9bbody

timeline  50.000 s from 2026-02-16 09:30:00.000Z
extract   | █████████████████████████                                  |
報告      |                         █████████████████████████          |
load      |                                     ░░░░░░░░░░░░░░░░░░░░░░░|
mail      |                                                           █|

artifacts
  table  s3://lake/orders
"""

TAILED = """\
     1  <time>  RunStarted        -
     2  <time>  StepStarted       extract
     3  <time>  StepCompleted     extract  {"rows": 9, "artifactRefs": [{"uri": "s3://lake/orders", "kind": "table"}]}
     4  <time>  StepStarted       報告
     5  <time>  StepFailed        報告  {"error": {"code": "E1", "text": "\\u001b[31mred\\u202e"}}
     6  <time>  StepStarted       load #2
     7  <time>  StepSkipped       mail  {"reason": "no\\x9bbody"}
"""


@pytest.fixture
def story(dsn: str, connect: Connect) -> str:
    """A store with one run, projected: its DSN."""
    connection = connect()
    for event in STORY:
        append(connection, event)
    connection.execute("select runstore.project_pending()")
    return dsn


def test_show_prints_a_table_and_a_timeline(story: str) -> None:
    assert outcome(story, "show", "load-7") == (0, SHOWN, "")


def test_show_at_an_event_is_the_run_as_it_was(story: str) -> None:
    code, shown, _ = outcome(story, "show", "load-7", "--at", "2")
    assert code == 0
    assert (
        shown
        == """\
run        load-7
status     RUNNING
events     2, as it was then
of         acme / sales / prod
started    2026-02-16 09:30:00.000Z
completed  -
took       -
engine     {"workflow": "w-1"}

step     status   attempt  started                   took
extract  RUNNING        1  2026-02-16 09:30:01.000Z  -

timeline  1.000 s from 2026-02-16 09:30:00.000Z
extract   |                                                           ░|
"""
    )


def test_show_needs_no_worker(dsn: str, connect: Connect) -> None:
    append(connect(), moment("RunStarted", 0))
    append(connect(), moment("RunFailed", 59, payload={"error": "disk full"}))
    assert outcome(dsn, "show", "load-7") == (
        0,
        """\
run        load-7
status     FAILED
events     2, from the log: no snapshot is stored yet
of         acme / sales / prod
started    2026-02-16 09:30:00.000Z
completed  2026-02-16 09:30:59.000Z
took       59.000 s
error      "disk full"
""",
        "",
    )


def test_show_as_json_is_the_snapshot(story: str, connect: Connect) -> None:
    done = run(story, "show", "load-7", "--json")
    assert (json.loads(done.stdout),) == connect().execute("select runstore.get_snapshot('load-7')").fetchone()


def test_show_of_an_unknown_run_fails_with_the_words_of_the_database(dsn: str) -> None:
    assert outcome(dsn, "show", "no-run") == (
        1,
        "",
        "runstore: RUN_NOT_FOUND: runId 'no-run' is no run "
        "(expected: the id of a run; hint: Check the id; a run exists from its first event on.)\n",
    )


def test_runs_are_listed_the_newest_first(story: str, connect: Connect) -> None:
    connection = connect()
    append(connection, moment("RunStarted", 0, run_id="other", tenantId="globex"))
    append(connection, moment("RunCompleted", 30, run_id="other", tenantId="globex"))
    append(connection, moment("RunPaused", 30, run_id="odd"))
    connection.execute("select runstore.project_pending()")
    header = "run     status     events  begun                     took      tenant  project  environment"
    listed = run(story, "runs").stdout.splitlines()
    assert listed[0].rstrip() == header
    assert [normal(line) for line in listed[1:]] == [
        "odd     PENDING         1  <time>  -         acme    sales    prod         INCONSISTENT",
        "other   COMPLETED       2  <time>  30.000 s  globex  sales    prod",
        "load-7  RUNNING         7  <time>  -         acme    sales    prod",
    ]
    for arguments, expected in (
        (["--limit", "1"], ["odd"]),
        (["--tenant", "globex"], ["other"]),
        (["--status", "RUNNING", "--tenant", "acme"], ["load-7"]),
        (["--status", "FAILED"], []),
    ):
        done = run(story, "runs", "--json", *arguments)
        assert [json.loads(line)["runId"] for line in done.stdout.splitlines()] == expected


def test_no_runs_is_said(dsn: str) -> None:
    assert outcome(dsn, "runs") == (
        0,
        "no runs (a run is listed when it has been projected: is a worker running?)\n",
        "",
    )


def test_a_status_that_is_none_is_refused_with_those_there_are(dsn: str) -> None:
    assert outcome(dsn, "runs", "--status", "ASLEEP") == (
        1,
        "",
        "runstore: INVALID_ARGUMENT: status 'ASLEEP' is no state of a run (expected: APPROVED, CANCELLED, COMPLETED, "
        'FAILED, PAUSED, PENDING, RUNNING; hint: Use one of the states named under "expected", or leave it out.)\n',
    )


def test_tail_without_following_prints_the_log(story: str) -> None:
    assert outcome(story, "tail", "load-7", "--no-follow") == (0, TAILED, "")
    last = "".join(TAILED.splitlines(keepends=True)[-2:])
    assert outcome(story, "tail", "load-7", "--no-follow", "--after", "5") == (0, last, "")
    assert outcome(story, "tail", "load-7", "--no-follow", "--after", "7") == (0, "", "")


def test_tail_as_json_is_an_event_record_per_line(story: str) -> None:
    done = run(story, "tail", "load-7", "--no-follow", "--json", "--after", "6")
    (record,) = map(json.loads, done.stdout.splitlines())
    assert {name: record[name] for name in STORY[6] if name != "emittedAt"} == {
        name: value for name, value in STORY[6].items() if name != "emittedAt"
    }
    assert (record["runSeq"], record["emittedAt"]) == (7, "2026-02-16T09:30:50.000000Z")
    assert len(record) == 20


def test_tail_without_following_fails_for_a_run_that_is_not_there(dsn: str) -> None:
    assert outcome(dsn, "tail", "no-run", "--no-follow") == (1, "", "runstore: there is no run no-run\n")


def test_tail_follows_a_run_that_is_yet_to_come_until_it_is_interrupted(dsn: str, connect: Connect) -> None:
    connection = connect()
    with _started(dsn, "tail", "load-7") as tail:
        assert tail.stdout
        assert tail.stderr
        assert tail.stderr.readline() == "runstore: run load-7 has no events yet; waiting\n"
        for event, expected in zip(STORY, TAILED.splitlines(keepends=True), strict=True):
            append(connection, event)
            assert normal(tail.stdout.readline()) == expected
        tail.send_signal(signal.SIGINT)
        assert tail.wait(30) == 128 + signal.SIGINT
        assert (tail.stdout.read(), tail.stderr.read()) == ("", "")


def test_a_reader_that_has_had_enough_ends_tail_without_a_word(dsn: str, connect: Connect) -> None:
    connection = connect()
    append(connection, STORY[0])
    with _started(dsn, "tail", "load-7") as tail:
        assert tail.stdout
        assert tail.stderr
        tail.stdout.readline()
        tail.stdout.close()
        append(connection, STORY[1])
        assert tail.wait(30) == 128 + signal.SIGPIPE
        assert tail.stderr.read() == ""


def test_a_healthy_store_is_exit_code_0(story: str) -> None:
    assert outcome(story, "health") == (0, "healthy\n  lag     0 ms\n  due     0 runs\n  halted  0 runs\n", "")


def test_a_high_lag_is_exit_code_3(dsn: str, connect: Connect) -> None:
    append(connect(), STORY[0])
    connect().execute("select runstore.set_config_value('lag_alert_ms', '1')")
    code, shown, error = outcome(dsn, "health")
    assert (code, error) == (3, "")
    assert shown.splitlines()[0] == "unhealthy"
    assert shown.splitlines()[1].endswith(" ms (high)")
    assert shown.splitlines()[2:] == ["  due     1 run", "  halted  0 runs"]


def test_a_halted_run_is_exit_code_3(dsn: str, connect: Connect) -> None:
    append(connect(), STORY[0])
    connect().execute("update runstore.due_runs set retry_at = runstore.clock() + interval '1 hour'")
    assert outcome(dsn, "health") == (3, "unhealthy\n  lag     0 ms\n  due     0 runs\n  halted  1 run\n", "")
    done = run(dsn, "health", "--json")
    found = {"lagMs": 0, "dueRuns": 0, "haltedRuns": 1, "runsMarkedForResync": 0, "lagIsHigh": False}
    assert (done.returncode, json.loads(done.stdout)) == (3, found)


def test_a_terminal_without_the_characters_gets_others(story: str) -> None:
    done = subprocess.run(
        [*COMMAND, "show", "load-7"],
        env={**environment(story), "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        timeout=60,
        check=True,
    )
    shown = done.stdout.decode("ascii")
    assert "extract   | #########################                                  |" in shown
    assert "\\u5831\\u544a" in shown


def test_what_append_took_show_shows(dsn: str) -> None:
    assert run(dsn, "append", stdin=lines(*STORY)).returncode == 0
    assert run(dsn, "worker", "--once").returncode == 0
    assert outcome(dsn, "show", "load-7") == (0, SHOWN, "")


@contextmanager
def _started(dsn: str, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """Lend the command as it runs; one that hangs is killed, and then has nothing more to say."""
    with subprocess.Popen(
        [*COMMAND, *arguments],
        env=environment(dsn),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        watchdog = threading.Timer(60, process.kill)
        watchdog.start()
        try:
            yield process
        finally:
            watchdog.cancel()
            process.kill()
