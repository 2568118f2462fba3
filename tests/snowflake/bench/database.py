"""The bench: a database that takes the shipped files as they are, and keeps count of what ran."""

from __future__ import annotations

import atexit
import datetime
import functools
import itertools
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from fakesnow.instance import FakeSnow
from fakesnow.transforms.stage import LOCAL_BUCKET_PATH

from bench import adaptations
from bench.connection import BenchConnection, BenchCursor, without_comments
from bench.engine import Declared, Result, Session
from bench.faults import UNKNOWN_OBJECT, NotSupported, refused
from bench.functions import columns_of, macro_body, macro_head, register_javascript
from bench.interpreter import Answer, Request, literal, run_procedure
from bench.routines import Routine, choose, parse_routine
from bench.sqltypes import SqlType, Value

# fakesnow makes this directory for stages when it is imported, and leaves it behind.
atexit.register(shutil.rmtree, LOCAL_BUCKET_PATH, ignore_errors=True)

SHIPPED = Path(__file__).parents[3] / "sql" / "snowflake"
USES_WAREHOUSE = frozenset({"SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "MERGE", "COPY"})
_NO_EFFECT = re.compile(
    r"(?P<roles>(CREATE|DROP)\s+(DATABASE\s+)?ROLE\b)|(?P<grants>(GRANT|REVOKE)\b)"
    r"|(?P<tasks>(CREATE(\s+OR\s+REPLACE)?|ALTER|DROP|EXECUTE)\s+TASK\b)"
    r"|(?P<others>ALTER\s+TABLE\s+\w+\s+(ADD|DROP)\s+SEARCH\s+OPTIMIZATION\b|USE\s+(ROLE|WAREHOUSE)\b)",
    re.IGNORECASE,
)
_ROUTINE = re.compile(r"CREATE\s+(OR\s+REPLACE\s+)?(PROCEDURE|FUNCTION)\b", re.IGNORECASE)
_DROP_ROUTINE = re.compile(
    r"DROP\s+(PROCEDURE|FUNCTION)\s+(IF\s+EXISTS\s+)?(\w+)\s*\((.*)\)\s*$", re.IGNORECASE | re.DOTALL
)
_DROP_STAGE = re.compile(r"DROP\s+STAGE\s+(IF\s+EXISTS\s+)?(\w+)\s*$", re.IGNORECASE)
_TABLE = re.compile(
    r"CREATE\s+(OR\s+REPLACE\s+)?(HYBRID\s+)?TABLE\s+(IF\s+NOT\s+EXISTS\s+)?(?P<name>\w+)\s*\(", re.IGNORECASE
)
_BLOCK = re.compile(r"EXECUTE\s+IMMEDIATE\s+\$\$(.*)\$\$\s*$", re.IGNORECASE | re.DOTALL)
_SPLIT = re.compile(r"\$\$.*?\$\$|'(?:[^'\\]|''|\\.)*'|\"[^\"]*\"|--[^\n]*|/\*.*?\*/|;", re.DOTALL)


class Statement(NamedTuple):
    """A statement that ran: what it was, its shipped text, the procedure it stood in, whether a warehouse ran it."""

    kind: str
    text: str
    procedure: str | None
    runs_in_warehouse: bool


class Adapted(NamedTuple):
    """A statement or expression as shipped, as fakesnow got it (None where it did not), and what was applied to it."""

    shipped: str
    handed: str | None
    names: tuple[str, ...]
    procedure: str | None


def split_statements(text: str) -> Iterator[str]:
    """The statements of a script, without their semicolons and the comments between them."""
    start = 0
    for match in _SPLIT.finditer(text):
        if match[0] == ";":
            yield from without_comments(text[start : match.start()])
            start = match.end()
    yield from without_comments(text[start:])


@functools.lru_cache(maxsize=4096)
def _adapted(text: str) -> tuple[str, tuple[str, ...]]:
    return adaptations.adapt(text)


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)


_NUMBERS = itertools.count(1)  # fakesnow keeps the stages of all databases of a process in one directory, by name


class Bench:
    """A database in memory. `execute` runs one statement in a session of its own."""

    def __init__(self, user: str = "BENCH_OWNER") -> None:
        self._snow = FakeSnow()
        self._database = f"BENCH_{next(_NUMBERS)}"
        self._declared = Declared()
        self._procedures: dict[tuple[str, tuple[str, ...]], Routine] = {}
        self._functions: dict[str, Routine] = {}
        self.roles: list[str] = []
        self.grants: list[str] = []
        self.tasks: list[str] = []
        self.others: list[str] = []
        self.statements: list[Statement] = []
        self.adapted: list[Adapted] = []
        self._connections: list[BenchConnection] = []
        self._own = self.connection(user=user)
        self._set_up()

    def _set_up(self) -> None:
        for macro in adaptations.MACROS:
            self._own.session.define_macro(macro)
        self._snow.duck_conn.execute("SET GLOBAL threads = 1")  # the work is small, and JavaScript runs one at a time
        self._snow.duck_conn.create_function("BENCH_SYSDATE", _now, [], "TIMESTAMP", side_effects=True)

    @classmethod
    def deployed(cls, variant: str = "standard") -> Bench:
        """A database with the shipped files in it."""
        bench = cls()
        for path in shipped_files(variant):
            bench.script(path.read_text(encoding="utf-8"))
        bench.reset_log()
        return bench

    def connection(self, user: str = "BENCH_OWNER", paramstyle: str = "qmark") -> BenchConnection:
        """A session of a user."""
        session = Session(self._snow, self._database, self._declared, user)
        connection = BenchConnection(self, session, paramstyle)
        self._connections.append(connection)
        return connection

    def cursor(self) -> BenchCursor:
        """A cursor of the bench's own session."""
        return self._own.cursor()

    def execute(self, sql: str, params: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Runs one statement in the bench's own session and gives its rows."""
        return self._own.cursor().execute(sql, params).fetchall()

    def script(self, text: str) -> None:
        """Runs the statements of a file."""
        for statement in split_statements(text):
            self._own.cursor().execute(statement)

    def reset_log(self) -> None:
        """Forgets which statements ran."""
        self.statements.clear()
        self.adapted.clear()

    def close(self) -> None:
        """Closes every connection; the data is gone."""
        for connection in self._connections:
            connection.close()
        self._snow.duck_conn.close()
        shutil.rmtree(Path(LOCAL_BUCKET_PATH, self._database), ignore_errors=True)

    def __enter__(self) -> Bench:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # What the interpreter and the cursors ask for

    def host(self, session: Session) -> Host:
        """The bench, as the interpreter of a session sees it."""
        return Host(self, session)

    def log(self, kind: str, text: str, routine: str | None) -> None:
        """Notes that a statement ran."""
        self.statements.append(Statement(kind, text, routine, kind in USES_WAREHOUSE))

    def run(self, session: Session, request: Request) -> Result:
        """Adapts, logs and runs a statement."""
        text = request.text
        self.log(request.kind, request.shipped, request.routine)
        if no_effect := _NO_EFFECT.match(text):
            return self._record(str(no_effect.lastgroup), text)
        if _ROUTINE.match(text) or _DROP_ROUTINE.match(text):
            return self._define(session, text)
        if stage := _DROP_STAGE.match(text):
            return self._drop_stage(session, stage)
        if block := _BLOCK.match(text):
            return self._run_block(session, block[1])
        adapted, names = _adapted(text)
        natively = ("merge-natively",) if request.kind == "MERGE" else ()
        self.adapted.append(Adapted(request.shipped, adapted, (*request.made, *natively, *names), request.routine))
        if created := _TABLE.match(text):
            self._declared.add_table(created["name"].upper(), dict(columns_of(text)))
        return session.run(adapted, request.parameters)

    def _record(self, group: str, text: str) -> Result:
        log = {"roles": self.roles, "grants": self.grants, "tasks": self.tasks, "others": self.others}[group]
        log.append(text)
        self.adapted.append(Adapted(text, None, ("no-effect",), None))
        return Result(("status",), (SqlType("VARCHAR"),), [("Statement executed successfully.",)])

    def _define(self, session: Session, text: str) -> Result:
        done = Result(("status",), (SqlType("VARCHAR"),), [("successfully created.",)])
        if dropped := _DROP_ROUTINE.match(text):
            self._drop(session, dropped)
            return done
        routine = parse_routine(text)
        if routine.kind == "PROCEDURE":
            if routine.signature in self._procedures and not re.match(r"CREATE\s+OR\s+REPLACE", text, re.IGNORECASE):
                raise refused(f"Object '{routine.name}' already exists.", 2002, "42710")
            self._procedures[routine.signature] = routine
        else:
            self._define_function(session, routine, text)
        return done

    def _drop(self, session: Session, dropped: re.Match[str]) -> None:
        name = dropped[3].upper()
        families = tuple(SqlType.declared(type_).family for type_ in dropped[4].split(",") if type_.strip())
        if dropped[1].upper() == "FUNCTION":
            self._drop_function(session, name, families, must_exist=dropped[2] is None)
        elif self._procedures.pop((name, families), None) is None and dropped[2] is None:
            raise refused(f"Procedure '{name}' does not exist or not authorized.", UNKNOWN_OBJECT, "02000")

    def _drop_function(self, session: Session, name: str, families: tuple[str, ...], must_exist: bool) -> None:
        known = self._functions.get(name)
        if known is None or known.signature != (name, families):
            if must_exist:
                raise refused(f"Function '{name}' does not exist or not authorized.", UNKNOWN_OBJECT, "02000")
            return
        if known.language == "JAVASCRIPT":
            self._snow.duck_conn.remove_function(name)
        else:
            session.define_macro(f"DROP MACRO {adaptations.own_name(name)}")
        del self._functions[name]

    def _drop_stage(self, session: Session, dropped: re.Match[str]) -> Result:
        """Drops a stage: fakesnow has no DROP STAGE, it keeps stages as rows."""
        name = dropped[2].upper()
        if not session.drop_stage(name) and dropped[1] is None:
            raise refused(f"Stage '{name}' does not exist or not authorized.", UNKNOWN_OBJECT, "02000")
        return Result(("status",), (SqlType("VARCHAR"),), [(f"{name} successfully dropped.",)])

    def _run_block(self, session: Session, body: str) -> Result:
        """A block that a client sends runs like a procedure without parameters."""
        created = f"CREATE PROCEDURE ANONYMOUS_BLOCK() RETURNS VARCHAR LANGUAGE SQL AS\n$${body}$$"
        answer = run_procedure(Host(self, session), parse_routine(created), {})
        content = answer.value.content if answer.value is not None else None
        return Result(("anonymous block",), (SqlType("VARCHAR"),), [(content,)])

    def _define_function(self, session: Session, routine: Routine, text: str) -> None:
        assert routine.returns is not None
        if any(parameter.default is not None for parameter in routine.parameters):
            raise NotSupported(f"{routine.name}: a function with a default")
        known = self._functions.get(routine.name)
        if known is not None and (known.signature, known.language) != (routine.signature, routine.language):
            raise NotSupported(f"{routine.name}: an overloaded function")
        if routine.language == "JAVASCRIPT":
            if known is not None:
                self._snow.duck_conn.remove_function(routine.name)
            register_javascript(self._snow.duck_conn, routine)
            self.adapted.append(Adapted(text, None, ("javascript-function",), None))
        else:
            body, names = _adapted(f"SELECT {macro_body(routine)}")
            expression = session.translated_expression(body)
            session.define_macro(f"CREATE OR REPLACE MACRO {macro_head(routine)} AS ({expression})")
            self.adapted.append(Adapted(text, body, ("sql-function", *names), None))
        self._functions[routine.name] = routine
        self._declared.add_function(routine.name, routine.returns)

    def call(
        self, session: Session, name: str, positional: Sequence[Value], named: Mapping[str, Value]
    ) -> tuple[Routine, Answer]:
        """Calls the procedure of that name that takes the arguments."""
        candidates = [routine for (known, _types), routine in self._procedures.items() if known == name]
        if not candidates:
            raise refused(f"\nUnknown user-defined procedure {name}", 2141)
        routine, given = choose(candidates, name, positional, named)
        for parameter in routine.parameters:
            if parameter.name not in given:
                assert parameter.default is not None
                default = literal(parameter.default)
                if default is None:
                    raise NotSupported(f"the default {parameter.default}, which is no literal")
                given[parameter.name] = default
        return routine, run_procedure(Host(self, session), routine, given)


class Host:
    """The bench, as the interpreter of one session sees it."""

    def __init__(self, bench: Bench, session: Session) -> None:
        self._bench = bench
        self.session = session

    def statement(self, request: Request) -> Result:
        """Runs a statement."""
        return self._bench.run(self.session, request)

    def note(self, kind: str, text: str, routine: str) -> None:
        """Logs a statement that the runner handles."""
        self._bench.log(kind, text, routine)
        if kind in ("BEGIN", "COMMIT", "ROLLBACK"):
            self._bench.adapted.append(Adapted(text, None, ("transactions",), routine))

    def expression(self, request: Request) -> Value:
        """Evaluates an expression that reads no table."""
        adapted, names = _adapted(request.text)
        self._bench.adapted.append(Adapted(request.shipped, adapted, (*request.made, *names), request.routine))
        return self.session.evaluate(adapted, request.parameters)

    def call(self, name: str, positional: Sequence[Value], named: dict[str, Value]) -> Answer:
        """Calls a procedure."""
        return self._bench.call(self.session, name, positional, named)[1]


def shipped_files(variant: str) -> list[Path]:
    """The files that make a database, in their order."""
    if variant not in ("standard", "hybrid"):
        raise ValueError(variant)
    order = (SHIPPED / "order.txt").read_text(encoding="utf-8").split()
    if variant == "hybrid":
        hybrid = {path.name: path for path in (SHIPPED / "hybrid").glob("*.sql")}
        own = sorted(set(hybrid) - {Path(name).name for name in order})
        shared = [name for name in order if name != "log/run_events_search.sql"]
        return [*(hybrid[name] for name in own), *(hybrid.get(Path(name).name, SHIPPED / name) for name in shared)]
    return [SHIPPED / name for name in order]
