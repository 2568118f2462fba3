"""The two large SELECTs, which are known by their meaning: the plan of an append, and the choice of runs to archive.

The expressions that the meaning stands on are written down here, and have to be in the text word for word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sqlfluff.core.parser import BaseSegment

from explorer.program import MODELLED, Choose, Instruction, Learn, Look, NotModelled
from explorer.segments import Reader, child, code, needed, not_modelled, squeezed

# Read by appends, and changed by none of the procedures that run beside them here.
_CONSTANT = {"CONFIG", "ERROR_CODES", "TENANT_BINDINGS", "RUN_SNAPSHOTS"}

# What the targets of a SELECT INTO mean.
_MEANINGS = {
    squeezed(text): meaning
    for text, meaning in {
        "R.CHECKED:events": "events",
        "R.CHECKED:fault": "nothing",
        "ARRAY_SIZE(R.CHECKED:events)": "size of events",
        "MIN(CASE WHEN P.REFUSAL IS NOT NULL THEN P.IDX END)": "first refused",
        "COUNT_IF(P.IS_NEW)": "new events",
        "COUNT(DISTINCT CASE WHEN P.IS_NEW THEN P.RUN_ID END)": "new runs",
        "COUNT_IF(ARRAY_SIZE(P.DIFFERS) > 0)": "conflicts",
        "COUNT(*)": "size of runs",
        "COALESCE(SUM(D.LAST_SEQ::NUMBER(38, 0)), 0)": "events of runs",
    }.items()
}
_ARRAYS = {
    "plan": {
        "index": "P.IDX",
        "firstIndex": "P.FIRST_IDX",
        "runId": "P.RUN_ID",
        "idempotencyKey": "P.IDEMPOTENCY_KEY",
        "eventId": "COALESCE(P.KNOWN_ID, P.SENT_ID, UUID_STRING())",
        "runSeq": "COALESCE(P.KNOWN_SEQ, P.SEEN_SEQ + P.NTH)",
        "seenSeq": "P.SEEN_SEQ",
        "isNew": "P.IS_NEW",
        "differs": "P.DIFFERS",
    },
    "runs": {"runId": "D.RUN_ID", "lastSeq": "D.LAST_SEQ"},
}

# What the meaning of the plan stands on, by the common table expression that says it; "" is what they lead to.
_PLAN: Mapping[str, tuple[str, ...]] = {
    "SENT": (
        "E.INDEX AS IDX",
        "E.VALUE:runId::VARCHAR AS RUN_ID",
        "E.VALUE:eventId::VARCHAR AS SENT_ID",
        "COALESCE(E.VALUE:idempotencyKey::VARCHAR, IDEMPOTENCY_KEY(",
        "'eventType', E.VALUE:eventType",
    ),
    "KNOWN": (
        "L.RUN_ID, L.IDEMPOTENCY_KEY, L.EVENT_ID, L.RUN_SEQ,",
        "'eventType', L.EVENT_TYPE",
        "WHERE L.RUN_ID IN (SELECT S.RUN_ID FROM SENT AS S)"
        " AND L.IDEMPOTENCY_KEY IN (SELECT S.IDEMPOTENCY_KEY FROM SENT AS S)"
        " QUALIFY ROW_NUMBER() OVER (PARTITION BY L.RUN_ID, L.IDEMPOTENCY_KEY ORDER BY L.RUN_SEQ) = 1",
    ),
    "JUDGED": (
        "COALESCE(R.LAST_SEQ, 0) AS SEEN_SEQ",
        "K.EVENT_ID AS KNOWN_ID",
        "K.RUN_SEQ AS KNOWN_SEQ",
        "K.CONTENT AS KNOWN_CONTENT",
        "FIRST_VALUE(S.IDX) OVER (PARTITION BY S.RUN_ID, S.IDEMPOTENCY_KEY ORDER BY S.IDX) AS FIRST_IDX",
        "K.RUN_SEQ IS NULL"
        " AND ROW_NUMBER() OVER (PARTITION BY S.RUN_ID, S.IDEMPOTENCY_KEY ORDER BY S.IDX) = 1 AS IS_NEW",
        "FROM SENT AS S",
        "LEFT JOIN KNOWN AS K ON S.RUN_ID = K.RUN_ID AND S.IDEMPOTENCY_KEY = K.IDEMPOTENCY_KEY",
    ),
    "PLACED": (
        "COUNT_IF(J.IS_NEW) OVER (PARTITION BY J.RUN_ID ORDER BY J.IDX"
        " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS NTH",
        "FROM JUDGED AS J",
    ),
    "": (
        "CASE WHEN NOT T.IS_NEW THEN DIFFERING_FIELDS(COALESCE(T.KNOWN_CONTENT, T.FIRST_CONTENT), T.CONTENT) END"
        " AS DIFFERS",
    ),
}
_TIMED = squeezed("FROM PLACED AS W INNER JOIN SENT AS F ON W.FIRST_IDX = F.IDX LEFT JOIN RECENT_SIGNALS")
_LAST = re.compile(r"FROM (PLACED|TIMED) AS T\)AS P$")
_KEEP_EVERY_ROW = ("SENT", "JUDGED", "PLACED", "TIMED")
_END = re.compile(r"LEFT JOIN (\w+) AS R ON S\.RUN_ID=R\.RUN_ID(?! AND)")
_COUNTED_END = squeezed("SELECT L.RUN_ID, MAX(L.RUN_SEQ) AS LAST_SEQ FROM {} AS L GROUP BY L.RUN_ID")
_REFUSES_ARCHIVED = squeezed("WHEN NOT T.IS_NEW THEN NULL WHEN T.ARCHIVED_AT IS NOT NULL THEN 'RS008'")

# The same for the choice of the runs to archive.
_CHOICE = (
    "FROM RUN_COUNTERS AS R",
    "FROM RUN_EVENTS AS E",
    "COUNT(*) AS EVENTS",
    "AS E ON R.RUN_ID = E.RUN_ID AND R.LAST_SEQ = E.EVENTS",
    "WHERE R.ARCHIVED_AT IS NULL AND",
)


def read_select(reader: Reader, segment: BaseSegment) -> Instruction:
    """Return what a SELECT INTO finds; one that reads modelled tables has to be one of the two."""
    own = {part.segments[0].raw_upper: part for part in segment.recursive_crawl("common_table_expression")}
    relations = {part.raw_upper for part in segment.recursive_crawl("table_reference")} - set(own)
    reads = {table for relation in relations for table in reader.catalog.tables_of(relation)}
    if reads - _CONSTANT - set(MODELLED):
        raise not_modelled(segment, f"reads {', '.join(sorted(reads - _CONSTANT - set(MODELLED)))}")
    seen = tuple(sorted(reads & set(MODELLED)))
    into = tuple(_meant(reader, segment))
    meanings = {meaning for _, meaning in into}
    if "plan" in meanings:
        return _plan(reader, segment, own, seen, into)
    if "runs" in meanings:
        text = code(segment)
        for expression in map(squeezed, _CHOICE):
            if expression not in text:
                raise not_modelled(segment, f"the choice of runs without {expression!r}")
        return Choose(seen, into)
    if seen:
        raise not_modelled(segment, f"reads {', '.join(seen)}, and is no plan")
    return Learn(into)


def _meant(reader: Reader, segment: BaseSegment) -> Iterator[tuple[str, str]]:
    targets = [part for part in needed(segment, "select_clause").segments if part.is_type("select_clause_element")]
    for target, variable in zip(targets, reader.into, strict=True):
        text = code(target)
        meaning = _MEANINGS.get(text, "unknown")
        if text.startswith("ARRAY_AGG(OBJECT_CONSTRUCT("):
            meaning = next((array for array, members in _ARRAYS.items() if _has(text, members)), "unknown")
        yield reader.scope.resolve(variable), meaning


def _has(array: str, members: Mapping[str, str]) -> bool:
    return all(re.search(re.escape(f"'{name}',{squeezed(value)}") + "[,)]", array) for name, value in members.items())


def _plan(
    reader: Reader,
    segment: BaseSegment,
    own: Mapping[str, BaseSegment],
    reads: tuple[str, ...],
    into: tuple[tuple[str, str], ...],
) -> Look:
    whole = code(segment)
    for name, expressions in _PLAN.items():
        if name and name not in own:
            raise not_modelled(segment, f"the plan without {name}")
        text = code(own[name]) if name else whole
        for expression in map(squeezed, expressions):
            if expression not in text:
                raise NotModelled(f"{name or 'the plan'} does not say {expression!r}, which its meaning stands on")
    for name in _KEEP_EVERY_ROW:
        query = next(own[name].recursive_crawl("select_statement")) if name in own else None
        if query is not None and child(query, "where_clause", "qualify_clause", "groupby_clause") is not None:
            raise NotModelled(f"{name} leaves out rows")
    for name in ("JUDGED", "PLACED"):
        if "INNER JOIN" in code(own[name]):
            raise NotModelled(f"{name} may leave out rows")
    last = _LAST.search(whole)
    if last is None or (last[1] == "TIMED" and _TIMED not in code(own["TIMED"])):
        raise NotModelled("the plan is not all of what was placed")
    end = _END.search(code(own["JUDGED"]))
    if end is None:
        raise NotModelled("JUDGED does not say where it takes the end of a run from")
    is_counted = end[1] in own
    ends = reader.catalog.tables_of(_relation(own[end[1]]) if is_counted else end[1])
    if is_counted and _COUNTED_END.format(_relation(own[end[1]])) not in code(own[end[1]]):
        raise NotModelled(f"{end[1]} is not the greatest RUN_SEQ of each run")
    if not is_counted and any("LAST_SEQ" not in MODELLED[table] for table in ends):
        raise NotModelled(f"{end[1]} has no LAST_SEQ that the model keeps")
    known = reader.catalog.tables_of(_relation(own["KNOWN"]))
    return Look(reads, ends, is_counted, known, _REFUSES_ARCHIVED in whole, into)


def _relation(expression: BaseSegment) -> str:
    """Return the one table or view in FROM of a common table expression."""
    query = next(expression.recursive_crawl("select_statement"))
    clause = needed(query, "from_clause")
    relations = [part.raw_upper for part in clause.recursive_crawl("table_reference")]
    if len(relations) != 1:
        raise not_modelled(clause, "more than one relation")
    return relations[0]
