"""runstore completion: scripts that shells take, with every command and option in them."""

import argparse
import shutil
import subprocess
from pathlib import Path

import pytest
from runstore.cli import _parser
from terminal import COMMAND, environment

BASH = shutil.which("bash") or "/bin/bash"
WORDS = ["up", "migrate", "append", "tail", "show", "runs", "worker", "health", "export", "completion"]


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The script for bash."""
    path = tmp_path_factory.mktemp("completion") / "runstore.bash"
    path.write_text(_completion("bash"))
    return path


def test_bash_reads_it(script: Path) -> None:
    done = subprocess.run([BASH, "-n", str(script)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (["mig"], ["migrate"]),
        (["r"], ["remove", "runs"]),
        (["--v"], ["--version"]),
        (["migrate", "s"], ["status"]),
        (["migrate", "--d"], ["--dsn", "--dry-run"]),
        (["migrate", "--dsn", "dbname=x", "roll"], ["rollback"]),
        (["migrate", "--dsn", "s"], []),
        (["export", "there", "--t"], ["--tenant"]),
        (["completion", ""], ["bash", "fish", "zsh", "--help"]),
        (["fly", "x"], []),
    ],
    ids=lambda words: " ".join(words),
)
def test_bash_completes(script: Path, typed: list[str], offered: list[str]) -> None:
    ask = (
        'source "$1"; shift; COMP_WORDS=(runstore "$@"); COMP_CWORD=$#; complete -p runstore > /dev/null || exit 9; '
        '_runstore; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        [BASH, "--norc", "-c", ask, "bash", str(script), *typed], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr, done.stdout.split()) == (0, "", offered)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_command_and_option_is_in_it(shell: str) -> None:
    text = _completion(shell)
    (chooser,) = [each for each in _parser()._actions if isinstance(each, argparse._SubParsersAction)]
    assert set(WORDS) <= set(chooser.choices)
    for name, command in chooser.choices.items():
        about = [line for line in text.splitlines() if name in line.replace(")", " ").replace("'", " ").split()]
        assert about, name
        for option in command._option_string_actions:
            if option.startswith("--"):
                written = f"-l {option[2:]} " if shell == "fish" else option
                assert any(written in line for line in about), (name, option)


def _completion(shell: str) -> str:
    done = subprocess.run(
        [*COMMAND, "completion", shell], env=environment(""), capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout
