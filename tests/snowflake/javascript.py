"""Runs the JavaScript functions of the Snowflake side in V8: native values in and out, as in an account.

A function is taken from its file in sql/snowflake, body and parameter names; SQL NULL arrives as undefined. It is held
to more than an account holds it to: its arguments are frozen, so that a body that changed them fails, and its answer
must be JSON all through, without undefined in it or numbers that are none.
"""

import atexit
import json
import re
from pathlib import Path
from typing import Any

from py_mini_racer import MiniRacer

SOURCES = Path(__file__).parents[2] / "sql" / "snowflake"

DEFINITION = re.compile(
    r"^CREATE OR REPLACE FUNCTION \w+\((?P<parameters>[^)]*)\)\n(?:.+\n)*LANGUAGE JAVASCRIPT\n(?:.+\n)*AS\n"
    r"\$\$\n(?P<body>(?s:.*?))^\$\$;$",
    re.MULTILINE,
)
CALLER = """
const body = new Function({names}, "'use strict';" + {body});

function frozen(value) {{
  const pending = [value];
  while (pending.length > 0) {{
    const next = pending.pop();
    if (typeof next === 'object' && next !== null) {{
      Object.freeze(next);
      Object.keys(next).forEach(key => pending.push(next[key]));
    }}
  }}
  return value;
}}

function json(key, value) {{
  if (value === undefined || (typeof value === 'number' && !isFinite(value))) {{
    throw new Error(key + ' of the answer is ' + value);
  }}
  return value;
}}

function call(texts) {{
  const given = texts.map(text => text === null ? undefined : frozen(JSON.parse(text)));
  const answer = body.apply(undefined, given);
  return answer === undefined ? null : JSON.stringify(answer, json);
}}
"""


class Function:
    """The JavaScript function that a file of sql/snowflake defines."""

    def __init__(self, file: str | Path) -> None:
        defined = DEFINITION.search((SOURCES / file).read_text())
        assert defined, f"{file} defines no JavaScript function"
        names = [parameter.split()[0] for parameter in defined["parameters"].split(",")]
        self._engine = MiniRacer()
        atexit.register(self._engine.close)  # an open one can keep the process from ending
        self._engine.eval(CALLER.format(names=json.dumps(names), body=json.dumps(defined["body"])))

    def __call__(self, *arguments: Any) -> Any:
        """Return what the function makes of these values; None is SQL NULL."""
        return self.on_text(*(None if argument is None else json.dumps(argument) for argument in arguments))

    def on_text(self, *arguments: str | None) -> Any:
        """Return what the function makes of values given as JSON text."""
        answer = self.text_of(*arguments)
        return None if answer is None else json.loads(answer)

    def text_of(self, *arguments: str | None) -> str | None:
        """Return what the function makes of values given as JSON text, as JSON text."""
        answer: str | None = self._engine.call("call", list(arguments))
        return answer
