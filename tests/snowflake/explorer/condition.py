"""Conditions of IF: read from their text, and computed with SQL's three values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from explorer.program import UNKNOWN, Condition, Literal, NotModelled, Operation, Variable

_TOKEN = re.compile(r"\s*(?:(?P<number>-?\d+)|:?(?P<name>[A-Z_][A-Z0-9_]*)|(?P<sign><>|<=|>=|[=<>(),]))")
_COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "=": lambda one, other: one == other,
    "<>": lambda one, other: one != other,
    "<": lambda one, other: one < other,
    ">": lambda one, other: one > other,
    "<=": lambda one, other: one <= other,
    ">=": lambda one, other: one >= other,
}


def read(text: str, resolve: Callable[[str], str]) -> Condition:
    """The condition that a text stands for, its variables by their full names."""
    reader = _Reader(text, resolve)
    condition = reader.either()
    if reader.tokens:
        raise NotModelled(f"the condition {text.strip()!r}")
    return condition


class _Reader:
    def __init__(self, text: str, resolve: Callable[[str], str]) -> None:
        self.text, self.resolve, self.tokens = text.strip(), resolve, list[str]()
        place = 0
        while place < len(self.text):
            token = _TOKEN.match(self.text, place)
            if token is None:
                raise NotModelled(f"the condition {self.text!r}")
            self.tokens.append(token["number"] or token["name"] or token["sign"])
            place = token.end()

    def take(self, *expected: str) -> str | None:
        if self.tokens and self.tokens[0] in expected:
            return self.tokens.pop(0)
        return None

    def need(self, *expected: str) -> str:
        found = self.take(*expected)
        if found is None:
            raise NotModelled(f"the condition {self.text!r}: no {' or '.join(expected)}")
        return found

    def either(self) -> Condition:
        condition = self.both()
        while self.take("OR"):
            condition = Operation("OR", (condition, self.both()))
        return condition

    def both(self) -> Condition:
        condition = self.negated()
        while self.take("AND"):
            condition = Operation("AND", (condition, self.negated()))
        return condition

    def negated(self) -> Condition:
        return Operation("NOT", (self.negated(),)) if self.take("NOT") else self.compared()

    def compared(self) -> Condition:
        left = self.single()
        if self.take("IS"):
            is_not = self.take("NOT") is not None
            self.need("NULL")
            is_null = Operation("IS NULL", (left,))
            return Operation("NOT", (is_null,)) if is_not else is_null
        sign = self.take(*_COMPARISONS)
        return Operation(sign, (left, self.single())) if sign else left

    def single(self) -> Condition:
        if self.take("("):
            inner = self.either()
            self.need(")")
            return inner
        if not self.tokens:
            raise NotModelled(f"the condition {self.text!r} ends early")
        word = self.tokens.pop(0)
        if re.fullmatch(r"-?\d+", word):
            return Literal(int(word))
        if word in ("TRUE", "FALSE", "NULL"):
            return Literal({"TRUE": True, "FALSE": False, "NULL": None}[word])
        if not self.take("("):
            return Variable(self.resolve(word))
        operands = [self.either()]
        while self.take(","):
            operands.append(self.either())
        self.need(")")
        if word != "COALESCE":
            raise NotModelled(f"the condition {self.text!r}: {word}")
        return Operation(word, tuple(operands))


def value_of(condition: Condition, places: Mapping[str, int], values: Sequence[object]) -> object:
    """What the condition is, by the values of the variables: true, false or null; a value where it is a part of one."""
    if isinstance(condition, Literal):
        return condition.value
    if isinstance(condition, Variable):
        value = values[places[condition.name]]
        if value is UNKNOWN:
            raise NotModelled(f"a condition on {condition.name}, which the model does not compute")
        return value
    operands = [value_of(operand, places, values) for operand in condition.operands]
    if condition.operator == "COALESCE":
        return next((value for value in operands if value is not None), None)
    if condition.operator == "IS NULL":
        return operands[0] is None
    if condition.operator == "NOT":
        return None if operands[0] is None else not operands[0]
    if condition.operator in ("AND", "OR"):
        decisive = condition.operator == "OR"
        if any(value is decisive for value in operands):
            return decisive
        return None if None in operands else not decisive
    one, other = operands
    if one is None or other is None:
        return None
    assert isinstance(one, int)
    assert isinstance(other, int)
    return _COMPARISONS[condition.operator](one, other)
