"""The reader of pgTAP's output: what it takes for granted, every pgTAP test rests on."""

import pytest
from pgtap import parse_tap


def test_all_passed_is_no_problem() -> None:
    assert parse_tap("1..2\nok 1 - a\nok 2 - b\n").problems() == []


def test_a_failed_test_is_a_problem() -> None:
    text = "1..2\nok 1 - a\nnot ok 2 - b\n# Failed test 2\n"
    assert parse_tap(text).problems() == ["failed: not ok 2 - b"]


def test_a_missing_plan_is_a_problem() -> None:
    assert parse_tap("ok 1 - a\n").problems() == ["there is no plan"]


def test_empty_output_is_a_problem() -> None:
    assert parse_tap("").problems() == ["there is no plan"]


@pytest.mark.parametrize("planned", [1, 3])
def test_a_plan_that_is_not_kept_is_a_problem(planned: int) -> None:
    text = f"1..{planned}\nok 1 - a\nok 2 - b\n"
    assert parse_tap(text).problems() == [f"planned {planned} tests, ran 2"]


def test_an_empty_plan_is_a_problem() -> None:
    assert parse_tap("1..0\n").problems() == ["it tests nothing"]


def test_a_second_plan_is_a_problem() -> None:
    assert parse_tap("1..1\nok 1\n1..1\n").problems() == ["there is more than one plan"]


def test_a_todo_may_fail() -> None:
    assert parse_tap("1..1\nnot ok 1 - later # TODO not built\n").problems() == []


def test_a_skipped_test_counts_as_run() -> None:
    assert parse_tap("1..1\nok 1 # SKIP no such server\n").problems() == []


def test_the_plan_may_stand_at_the_end() -> None:
    assert parse_tap("ok 1 - a\nok 2 - b\n1..2\n").problems() == []


def test_a_bail_out_is_a_problem() -> None:
    assert parse_tap("1..1\nok 1\nBail out! no table\n").problems() == ["it bailed out"]


def test_words_that_only_begin_alike_are_no_results() -> None:
    assert parse_tap("1..1\nokay then\nok 1\n").problems() == []
