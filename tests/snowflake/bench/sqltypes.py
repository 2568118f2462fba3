"""The types of an account, as far as the shipped files use them, and how a value becomes one of another type."""

from __future__ import annotations

import datetime
import json
import math
import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any

from bench.faults import TOO_LONG, UNCONVERTIBLE, Fault, NotSupported

FAMILIES = {
    "NUMBER": "NUMBER",
    "DECIMAL": "NUMBER",
    "NUMERIC": "NUMBER",
    "INT": "NUMBER",
    "INTEGER": "NUMBER",
    "BIGINT": "NUMBER",
    "FLOAT": "FLOAT",
    "DOUBLE": "FLOAT",
    "BOOLEAN": "BOOLEAN",
    "VARCHAR": "VARCHAR",
    "STRING": "VARCHAR",
    "TEXT": "VARCHAR",
    "DATE": "DATE",
    "TIMESTAMP": "TIMESTAMP_NTZ",
    "TIMESTAMP_NTZ": "TIMESTAMP_NTZ",
    "TIMESTAMP_LTZ": "TIMESTAMP_LTZ",
    "TIMESTAMP_TZ": "TIMESTAMP_TZ",
    "VARIANT": "VARIANT",
    "OBJECT": "OBJECT",
    "ARRAY": "ARRAY",
    "RESULTSET": "RESULTSET",
}
SEMI_STRUCTURED = frozenset({"VARIANT", "OBJECT", "ARRAY", "JSON"})
TIMESTAMPS = frozenset({"TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "TIMESTAMP_TZ", "TIMESTAMP"})
UNTOLD = frozenset({"JSON", "TIMESTAMP"})  # of these, which one it is does not show in the statement
_DECLARED = re.compile(r"\s*(\w+)\s*(?:\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\))?\s*$")


@dataclass(frozen=True)
class SqlType:
    """A type: its family, and its length, precision and scale where they were said."""

    family: str
    size: int | None = None
    scale: int | None = None

    def __str__(self) -> str:
        if self.family == "NUMBER":
            return f"NUMBER({self.size or 38},{self.scale or 0})"
        if self.family in TIMESTAMPS:
            return f"{self.family}({self.fraction_digits})"
        return self.family if self.size is None else f"{self.family}({self.size})"

    @property
    def fraction_digits(self) -> int:
        """How many digits of a second a time of this type has."""
        return 9 if self.size is None else self.size

    @classmethod
    def declared(cls, text: str) -> SqlType:
        """The type that a declaration names."""
        match = _DECLARED.match(text)
        family = FAMILIES.get(match[1].upper()) if match else None
        if match is None or family is None:
            raise NotSupported(f"type {text.strip()}")
        size = int(match[2]) if match[2] else None
        return cls(family, size, int(match[3]) if match[3] else None)


NUMBER = SqlType("NUMBER", 38, 0)
FLOAT = SqlType("FLOAT")
BOOLEAN = SqlType("BOOLEAN")
VARCHAR = SqlType("VARCHAR")
VARIANT = SqlType("VARIANT")
NULL = SqlType("NULL")


@dataclass(frozen=True)
class Value:
    """A value and its type. Semi-structured values are JSON text, so that numbers keep their digits."""

    type: SqlType
    content: Any


def of_python(content: Any) -> Value:
    """The type that a client's bound value arrives with."""
    if content is None:
        return Value(NULL, None)
    if isinstance(content, bool):
        return Value(BOOLEAN, content)
    if isinstance(content, int):
        return Value(NUMBER, content)
    if isinstance(content, Decimal):
        exponent = content.as_tuple().exponent
        return Value(SqlType("NUMBER", 38, max(0, -exponent) if isinstance(exponent, int) else 0), content)
    if isinstance(content, float):
        return Value(FLOAT, content)
    if isinstance(content, str):
        return Value(VARCHAR, content)
    if isinstance(content, datetime.datetime) and content.tzinfo is None:
        return Value(SqlType("TIMESTAMP_NTZ"), content)
    raise NotSupported(f"binding a {type(content).__name__}: bind text and cast it")


def convert(value: Value, target: SqlType) -> Value:
    """What a cast makes of a value; a Fault where an account faults."""
    if value.content is None or value.type.family == "NULL":
        return Value(target, None)
    source = value.type.family
    if source in SEMI_STRUCTURED:
        return Value(target, _from_json(value, target))
    if target.family in SEMI_STRUCTURED:
        return Value(target, _to_json(value, target))
    converter = _CONVERTERS.get(target.family)
    if converter is None:
        raise NotSupported(f"a conversion to {target}")
    return Value(target, converter(value, target))


def _unconvertible(content: object, target: SqlType) -> Fault:
    word = {"NUMBER": "Numeric", "FLOAT": "Numeric", "BOOLEAN": "Boolean"}.get(target.family, "Timestamp")
    return Fault(f"{word} value '{content}' is not recognized", UNCONVERTIBLE, "22018")


def _to_number(value: Value, target: SqlType) -> int | Decimal:
    if value.type.family not in ("NUMBER", "FLOAT", "VARCHAR"):
        raise NotSupported(f"a conversion from {value.type} to {target}")
    try:
        number = Decimal(str(value.content))
    except InvalidOperation:
        raise _unconvertible(value.content, target) from None
    if not number.is_finite():
        raise _unconvertible(value.content, target)
    scale = target.scale or 0
    if number.adjusted() >= (target.size or 38) - scale:
        raise Fault(f"Number out of representable range: type {target}, value {value.content}", 100039, "22003")
    rounded = number.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP) if number.adjusted() > -40 else Decimal(0)
    return rounded if scale else int(rounded)


def _to_float(value: Value, target: SqlType) -> float:
    if value.type.family not in ("NUMBER", "FLOAT", "VARCHAR"):
        raise NotSupported(f"a conversion from {value.type} to {target}")
    try:
        number = float(value.content)
    except ValueError:
        raise _unconvertible(value.content, target) from None
    if not math.isfinite(number):
        raise NotSupported(f"the number {value.content}")
    return number


def _to_boolean(value: Value, target: SqlType) -> bool:
    if value.type.family == "BOOLEAN":
        return bool(value.content)
    if value.type.family == "NUMBER":
        return bool(value.content != 0)
    if value.type.family == "VARCHAR":
        if value.content.lower() in ("true", "false"):
            return bool(value.content.lower() == "true")
        raise _unconvertible(value.content, target)
    raise NotSupported(f"a conversion from {value.type} to {target}")


def _to_text(value: Value, target: SqlType) -> str:
    if value.type.family == "VARCHAR":
        text = str(value.content)
    elif value.type.family == "BOOLEAN":
        text = "true" if value.content else "false"
    elif value.type.family == "NUMBER":
        text = format(value.content, "f") if isinstance(value.content, Decimal) else str(value.content)
    else:
        raise NotSupported(f"a conversion from {value.type} to {target}: it depends on the session's formats")
    if target.size is not None and len(text) > target.size:
        raise Fault(f"String '{text}' is too long and would be truncated", TOO_LONG, "22000")
    return text


def _to_time(value: Value, target: SqlType) -> datetime.datetime:
    content = value.content
    if value.type.family == "VARCHAR":
        try:
            content = datetime.datetime.fromisoformat(re.sub(r"[zZ]$", "+00:00", content))
        except ValueError:
            raise _unconvertible(content, target) from None
    elif value.type.family not in TIMESTAMPS:
        raise NotSupported(f"a conversion from {value.type} to {target}")
    if target.family == "TIMESTAMP_TZ":
        aware: datetime.datetime = content if content.tzinfo else content.replace(tzinfo=datetime.timezone.utc)
        return aware
    if target.family == "TIMESTAMP_NTZ":
        wall_clock: datetime.datetime = content.replace(tzinfo=None)  # an account drops the offset, too
        return wall_clock
    raise NotSupported(f"a conversion from {value.type} to {target}: it depends on the session's time zone")


_CONVERTERS = {
    "NUMBER": _to_number,
    "FLOAT": _to_float,
    "BOOLEAN": _to_boolean,
    "VARCHAR": _to_text,
    "TIMESTAMP_NTZ": _to_time,
    "TIMESTAMP_LTZ": _to_time,
    "TIMESTAMP_TZ": _to_time,
}


def _to_json(value: Value, target: SqlType) -> str:
    if value.type.family in ("NUMBER", "BOOLEAN", "VARCHAR"):
        text = json.dumps(value.content, ensure_ascii=False) if value.type.family != "NUMBER" else str(value.content)
    elif value.type.family == "FLOAT":
        text = repr(value.content)
    else:
        raise NotSupported(f"a conversion from {value.type} to {target}")
    if target.family == "OBJECT":
        raise Fault(f"Failed to cast value {text} to OBJECT", 100071, "22000")
    return f"[{text}]" if target.family == "ARRAY" else text


def _from_json(value: Value, target: SqlType) -> Any:
    text = value.content
    if target.family == "VARIANT":
        return text
    kind = json_kind(text)
    if target.family == "ARRAY":
        if value.type.family == "OBJECT":
            raise NotSupported("a conversion from OBJECT to ARRAY")
        return None if kind == "null" else text if kind == "array" else f"[{text}]"
    if target.family == "OBJECT":
        if kind in ("null", "object"):
            return None if kind == "null" else text
        raise Fault(f"Failed to cast variant value {text} to OBJECT", 100071, "22000")
    if kind == "null":
        return None
    if kind in ("object", "array"):
        if target.family == "VARCHAR":
            return _to_text(Value(VARCHAR, text), target)
        raise Fault(f"Failed to cast variant value {text} to {target.family}", 100071, "22000")
    inner = json.loads(text, parse_float=Decimal)
    return convert(of_python(inner), target).content


def json_kind(text: str) -> str:
    """object, array, string, number, boolean or null."""
    return {"{": "object", "[": "array", '"': "string", "t": "boolean", "f": "boolean", "n": "null"}.get(
        text.lstrip()[0], "number"
    )


_ACCEPTS: dict[str, frozenset[str]] = {
    "NUMBER": frozenset({"NUMBER", "FLOAT", "VARCHAR", "VARIANT"}),
    "FLOAT": frozenset({"NUMBER", "FLOAT", "VARCHAR", "VARIANT"}),
    "BOOLEAN": frozenset({"BOOLEAN", "NUMBER", "FLOAT", "VARCHAR", "VARIANT"}),
    "VARCHAR": frozenset({"VARCHAR", "BOOLEAN", "NUMBER", "FLOAT", "VARIANT", "DATE", *TIMESTAMPS}),
    "VARIANT": frozenset({"VARIANT", "OBJECT", "ARRAY", "NUMBER", "FLOAT", "BOOLEAN"}),
    "OBJECT": frozenset({"OBJECT", "VARIANT"}),
    "ARRAY": frozenset({"ARRAY", "VARIANT"}),
    "DATE": frozenset({"DATE", "VARCHAR", "VARIANT", *TIMESTAMPS}),
    "TIMESTAMP_NTZ": frozenset({"TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "DATE", "VARCHAR"}),
    "TIMESTAMP_LTZ": frozenset({"TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "DATE", "VARCHAR"}),
    "TIMESTAMP_TZ": frozenset({"TIMESTAMP_TZ", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "DATE", "VARCHAR"}),
}


def binds(argument: SqlType, parameter: SqlType) -> bool:
    """Whether an argument of a CALL is taken by a parameter; measured on accounts, cell by cell."""
    if argument.family in UNTOLD:
        raise NotSupported(f"an argument whose type does not show ({argument.family}): pass a declared variable")
    return argument.family == "NULL" or argument.family in _ACCEPTS[parameter.family]
