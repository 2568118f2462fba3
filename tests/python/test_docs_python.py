"""The examples of the Python guide do what they say, one after the other, against a real database."""

import re

import pytest
from frozen import ROOT

GUIDE = ROOT / "docs" / "python.md"
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_examples_of_the_python_guide_run_in_order(dsn: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = GUIDE.read_text()
    blocks = list(_BLOCK.finditer(text))
    assert len(blocks) == text.count("```python") > 5
    names: dict[str, object] = {"dsn": dsn}
    for block in blocks:
        # Blank lines before the code, so that a traceback points into the guide.
        above = "\n" * text[: block.start(1)].count("\n")
        exec(compile(above + block.group(1), str(GUIDE), "exec"), names)  # noqa: S102  # our own guide
    shown = capsys.readouterr().out
    assert "run-1 4" in shown
    assert "RUN_IDENTITY_MISMATCH" in shown
    assert "1 StepStarted" in shown
