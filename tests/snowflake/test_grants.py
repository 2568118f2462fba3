"""Who may call what on Snowflake: the roles, the grants, and the task, as the shipped files make them."""

import re
from collections import defaultdict

import pytest
from bench_stores import VARIANTS, BenchStore, fresh_store
from live.account import shipped
from shipped import SOURCES

READER, WRITER, WORKER, ADMIN = "RUNSTORE_READER", "RUNSTORE_WRITER", "RUNSTORE_WORKER", "RUNSTORE_ADMIN"
ROLES = {READER, WRITER, WORKER, ADMIN}
READERS = {READER, WORKER, ADMIN}

# All forms of a procedure or function go together; what is not here is private.
PROCEDURES = {
    "ACK_ALERT": {ADMIN},
    "APPEND_EVENT": {WRITER, ADMIN},
    "APPEND_EVENTS": {WRITER, ADMIN},
    "ARCHIVE_RUNS": {ADMIN},
    "BIND_LOGIN": {ADMIN},
    "FETCH_EVENTS": READERS,
    "GET_SNAPSHOT": READERS,
    "IMPORT_EVENTS": {ADMIN},
    "LIST_ALERTS": READERS,
    "LIST_RUNS": READERS,
    "PROJECT_PENDING": {WORKER, ADMIN},
    "PROJECT_SNAPSHOT": {WORKER, ADMIN},
    "REPLAY_SNAPSHOT": READERS,
    "RESOLVE_ALERT": {ADMIN},
    "RESYNC_RUN": {WORKER, ADMIN},
    "SET_CONFIG_VALUE": {ADMIN},
    "UNBIND_LOGIN": {ADMIN},
    "VERIFY_RUN": READERS,
}
FUNCTIONS = {"DETECT_GAP": ROLES, "IDEMPOTENCY_KEY": ROLES, "VERSION": ROLES}
PRIVATE = {
    "ALERT_CONFLICTS",
    "ALERT_PROJECTION",
    "CHECK_EVENTS",
    "CHECK_RUN",
    "CLOCK",
    "DIFFERING_FIELDS",
    "FOLD_EVENTS",
    "LOAD_IMPORT",
    "LOCK_PROJECTION",
    "LOCK_RUNS",
    "PROJECT_RUNS",
    "RAISE_ERROR",
    "REFUSE_EVENT",
    "REFUSE_IMPORT",
    "REFUSE_PLANNED",
    "REFUSE_RACE",
    "RESET_PROJECTION",
    "RFC_TEXT",
    "STORE_EVENTS",
    "UTC_INSTANT",
    "UTC_TEXT",
}

GRANT = re.compile(
    r"GRANT (?P<privileges>[A-Z, ]+) ON (?P<kind>[A-Z]+) (?P<name>\w+)(?:\((?P<types>[^)]*)\))? TO ROLE (?P<role>\w+)"
)
ROUTINE = re.compile(r"CREATE OR REPLACE (PROCEDURE|FUNCTION) (\w+)\((.*?)\)\s*(?:COPY GRANTS\s*)?RETURNS ", re.DOTALL)


def _grants(store: BenchStore) -> dict[tuple[str, str, str, str | None], set[str]]:
    """Return the roles of each privilege on each object, by its kind, name and argument types."""
    found: dict[tuple[str, str, str, str | None], set[str]] = defaultdict(set)
    for text in store.bench.grants:
        grant = GRANT.fullmatch(" ".join(text.split()).rstrip(";"))
        assert grant, text
        types = None if grant["types"] is None else re.sub(r"\s", "", grant["types"])
        key = (grant["privileges"], grant["kind"], grant["name"], types)
        assert grant["role"] not in found[key], text
        found[key].add(grant["role"])
    return found


def _routines(variant: str) -> dict[tuple[str, str], set[str]]:
    """Return the argument types of every form of every procedure and function that is shipped."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for path in shipped(variant):
        for kind, name, parameters in ROUTINE.findall(path.read_text(encoding="utf-8")):
            types = [" ".join(one.split()).split(" ")[1] for one in parameters.split(",") if one.strip()]
            found[kind, name].add(",".join(types))
    return found


@pytest.mark.parametrize("variant", VARIANTS)
def test_each_role_may_use_what_the_design_lists_and_nothing_else(variant: str) -> None:
    expected: dict[tuple[str, str, str, str | None], set[str]] = {("USAGE", "SCHEMA", "RUNSTORE", None): ROLES}
    for (kind, name), forms in _routines(variant).items():
        roles = PROCEDURES.get(name) if kind == "PROCEDURE" else FUNCTIONS.get(name)
        for types in forms:
            if roles is not None:
                expected["USAGE", kind, name, types] = roles
    expected["READ, WRITE", "STAGE", "IMPORT_STAGE", None] = {ADMIN}
    expected["MONITOR, OPERATE", "TASK", "PROJECT_PENDING_TASK", None] = {ADMIN}
    with fresh_store(variant) as store:
        assert _grants(store) == expected


def test_every_procedure_and_function_is_either_public_or_private() -> None:
    shipped_names = {name for variant in VARIANTS for _, name in _routines(variant)}
    assert shipped_names == PROCEDURES.keys() | FUNCTIONS.keys() | PRIVATE
    assert not PRIVATE & (PROCEDURES.keys() | FUNCTIONS.keys())
    assert len(_routines("standard")["PROCEDURE", "APPEND_EVENT"]) == 2


def test_no_table_view_or_future_object_is_granted_and_nothing_to_public(store: BenchStore) -> None:
    kinds = {kind for _, kind, _, _ in _grants(store)}
    assert kinds == {"SCHEMA", "FUNCTION", "PROCEDURE", "STAGE", "TASK"}
    granted = {role for roles in _grants(store).values() for role in roles}
    assert granted == ROLES
    for text in store.bench.grants:
        assert not re.search(r"\b(PUBLIC|FUTURE|ALL|OWNERSHIP|GRANT OPTION|TABLE|VIEW)\b", text)


def test_the_roles_are_four_and_are_made_where_they_are_missing(store: BenchStore) -> None:
    made = [re.fullmatch(r"CREATE ROLE IF NOT EXISTS (\w+) COMMENT = '.+'", text) for text in store.bench.roles]
    assert [role and role[1] for role in made] == [READER, WRITER, WORKER, ADMIN]


def test_every_procedure_runs_with_the_rights_of_its_owner() -> None:
    """A role that can touch no table calls procedures that do."""
    for variant in VARIANTS:
        for path in shipped(variant):
            text = path.read_text(encoding="utf-8")
            owned = re.findall(r"^EXECUTE AS OWNER$", text, re.MULTILINE)
            assert text.count("CREATE OR REPLACE PROCEDURE") == len(owned)


def test_the_task_projects_and_is_created_suspended(store: BenchStore) -> None:
    [task] = store.bench.tasks
    assert re.match(r"CREATE TASK IF NOT EXISTS PROJECT_PENDING_TASK\b", task)
    assert re.search(r"\bAS\s+CALL PROJECT_PENDING\(1000\)$", task)
    assert "RESUME" not in task
    assert "ALLOW_OVERLAPPING_EXECUTION = FALSE" in task
    store.append_types("run-1", "RunStarted")
    assert store.value("PROJECT_PENDING", 1000) == 1, "what the task calls"


def test_the_grants_name_what_is_there() -> None:
    grants = (SOURCES / "roles" / "grants.sql").read_text(encoding="utf-8")
    names = set(re.findall(r"ON (?:PROCEDURE|FUNCTION) (\w+)\(", grants))
    assert names == PROCEDURES.keys() | FUNCTIONS.keys()
