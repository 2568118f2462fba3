"""JavaScript functions, run by V8 with JSON in and JSON out.

SQL NULL arrives as undefined, a semi-structured value as the native one; undefined is SQL NULL. An engine lives as long
as the process and serves every database that has a function with the same text: a function keeps no state.
"""

from __future__ import annotations

import atexit
import functools
import json
import threading
from collections.abc import Callable

from py_mini_racer import JSEvalException, MiniRacer

from bench.faults import NotSupported
from bench.sqltypes import SEMI_STRUCTURED, SqlType

_TAKEN = SEMI_STRUCTURED | {"VARCHAR", "FLOAT", "BOOLEAN"}
_LOCK = threading.Lock()
_SHELL = """
const __function = (function ({names}) {{
{body}
}});
function __call(given) {{
  const answer = __function.apply(null, JSON.parse(given).map(one => one.length ? one[0] : undefined));
  if (answer === undefined) return null;
  return JSON.stringify(answer, (key, value) => {{
    if (value === undefined) throw new Error('the answer holds undefined at key ' + key);
    if (typeof value === 'number' && !isFinite(value)) throw new Error('the answer holds ' + value);
    return value;
  }});
}}
"""


def new_engine() -> MiniRacer:
    """Return an engine that is closed when the process ends: one that is not can keep the process from ending."""
    engine = MiniRacer()
    atexit.register(engine.close)
    return engine


@functools.lru_cache(maxsize=64)
def _engine(names: tuple[str, ...], body: str) -> MiniRacer:
    engine = new_engine()
    engine.eval(_SHELL.format(names=", ".join(names), body=body))
    return engine


def compile_function(
    names: tuple[str, ...], types: tuple[SqlType, ...], returns: SqlType, body: str
) -> Callable[..., str | float | bool | None]:
    """A function of Python that runs the body: JSON text for semi-structured values, Python's own for others."""
    for type_ in (*types, returns):
        if type_.family not in _TAKEN:
            raise NotSupported(f"{type_} as an argument or the answer of a JavaScript function")
    if "$$" in body:
        raise NotSupported("$$ within a body")
    engine = _engine(names, body)

    def call(*arguments: str | float | bool | None) -> str | float | bool | None:
        texts = [_as_json(argument, type_) for argument, type_ in zip(arguments, types, strict=True)]
        with _LOCK:
            try:
                answer = engine.call("__call", f"[{','.join(texts)}]")
            except JSEvalException as error:
                raise RuntimeError(f"JavaScript execution error: {error}") from None
        if answer is None or returns.family in SEMI_STRUCTURED:
            assert answer is None or isinstance(answer, str)
            return answer
        inner: str | float | bool | None = json.loads(str(answer))
        return inner

    return call


def _as_json(argument: str | float | bool | None, type_: SqlType) -> str:
    if argument is None:
        return "[]"
    if type_.family in SEMI_STRUCTURED:
        return f"[{argument}]"
    return f"[{json.dumps(argument)}]"
