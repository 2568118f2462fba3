"""The loader runs a function as an account would, and holds it to what an account would not notice."""

from pathlib import Path

import pytest
from javascript import Function
from py_mini_racer import JSEvalException

KEYS = ["\\", '"', "\n", "\x01", "/", "é", "\uffff", "😀", "", "__proto__", "2", "1"]


def _function(directory: Path, body: str) -> Function:
    file = directory / "function.sql"
    file.write_text(
        "-- A function.\nCREATE OR REPLACE FUNCTION TRIED(P_FIRST VARIANT, P_SECOND ARRAY)\nRETURNS VARIANT\n"
        f"LANGUAGE JAVASCRIPT\nIMMUTABLE\nCOMMENT = 'Tried.'\nAS\n$$\n{body}\n$$;\n"
    )
    return Function(file)


def test_arguments_are_native_values_by_upper_case_name(tmp_path: Path) -> None:
    function = _function(tmp_path, "return [P_SECOND, Array.isArray(P_SECOND), P_FIRST.a];")
    assert function({"a": None}, [1]) == [[1], True, None]


def test_sql_null_is_undefined_and_json_null_is_null(tmp_path: Path) -> None:
    function = _function(tmp_path, "return [P_FIRST === undefined, P_SECOND === null];")
    assert function.on_text(None, "null") == [True, True]
    assert function.on_text("null", None) == [False, False]


def test_undefined_is_sql_null(tmp_path: Path) -> None:
    assert _function(tmp_path, "return undefined;")(1, []) is None


@pytest.mark.parametrize(
    "body",
    [
        "P_FIRST.b = 1;",
        "delete P_FIRST.a;",
        "P_FIRST.a[0].c.push(1);",
        "undeclared = 1;",
        "return {a: undefined};",
        "return [[undefined]];",
        "return {a: 0 / 0};",
        "throw new Error('x');",
    ],
)
def test_a_body_that_does_what_it_must_not_fails(tmp_path: Path, body: str) -> None:
    with pytest.raises(JSEvalException):
        _function(tmp_path, body)({"a": [{"c": []}]}, [])


def test_keys_arrive_as_they_are(tmp_path: Path) -> None:
    """Some versions of V8 come to take a key of one character, written as an escape, for a backslash."""
    function = _function(tmp_path, "return P_SECOND.map(one => Object.keys(one));")
    for key in KEYS * 3:
        assert function(None, [{key: 1}]) == [[key]]
    assert function(None, [dict.fromkeys(KEYS, 1)]) == [["1", "2", *KEYS[:-2]]]
