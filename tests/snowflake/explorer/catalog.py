"""The shipped objects by name, from their files, and what the model has to know of the tables."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.script import parse_tree
from shipped import hybrid_sources, ordered
from sqlfluff.core.parser import BaseSegment

from explorer.program import MODELLED, NotModelled, Table

_CREATE = re.compile(
    r"^CREATE (?:OR REPLACE )?(?P<kind>(?:HYBRID )?TABLE|VIEW|PROCEDURE) (?:IF NOT EXISTS )?(?P<name>\w+)"
    r"(?:\((?P<parameters>[^$]*?)\)\n(?:COPY GRANTS\n)?RETURNS )?",
    re.MULTILINE,
)
_BODY = re.compile(r"^\$\$\n(?P<body>.*)^\$\$;", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Procedure:
    """A procedure's text: its parameters in order, and what stands between the dollar signs."""

    name: str
    parameters: tuple[str, ...]
    body: str


@dataclass(frozen=True)
class Catalog:
    """Texts of objects by name."""

    named: tuple[tuple[str, str], ...]

    @functools.cached_property
    def texts(self) -> dict[str, str]:
        """The texts by name."""
        return dict(self.named)

    @classmethod
    def shipped(cls, variant: str = "standard", **replaced: str) -> Catalog:
        """Return what is deployed on standard or on hybrid tables, with some of the texts replaced."""
        texts: dict[str, str] = {}
        overloaded: set[str] = set()
        for name, text in _objects(ordered()):
            if name in texts:
                overloaded.add(name)
            texts[name] = text
        if variant == "hybrid":
            texts.update(_objects(hybrid_sources()))
        unknown = set(replaced) - set(texts)
        if unknown:
            raise ValueError(f"nothing to replace: {', '.join(sorted(unknown))}")
        return cls(tuple((name, text) for name, text in {**texts, **replaced}.items() if name not in overloaded))

    def procedure(self, name: str) -> Procedure:
        """Return a procedure by its name, which has to be the only one of that name."""
        created, text = self._created(name, "PROCEDURE")
        body = _BODY.search(text)
        if body is None:
            raise NotModelled(f"{name} has no body between $$ lines")
        parameters = tuple(line.split()[0] for line in re.split(r",\s*(?![^(]*\))", created["parameters"]) if line)
        return Procedure(name, parameters, body["body"])

    def tables_of(self, relation: str) -> tuple[str, ...]:
        """Return the tables that are read when a table or a view is."""
        created = _CREATE.search(self.texts.get(relation, ""))
        if created is None:
            raise NotModelled(f"{relation} is no table or view of the store")
        if created["kind"] != "VIEW":
            return (relation,)
        tree = _tree(self.texts[relation])
        inner = [part.raw_upper for part in tree.recursive_crawl("table_reference") if part.raw_upper != relation]
        return tuple(sorted({table for name in inner for table in self.tables_of(name)}))

    def tables(self) -> tuple[Table, ...]:
        """Return the modelled tables as they are defined; a variant need not have all of them."""
        return tuple(self._table(name) for name in MODELLED if name in self.texts)

    def _table(self, name: str) -> Table:
        created, text = self._created(name, "TABLE", "HYBRID TABLE")
        is_hybrid = created["kind"] == "HYBRID TABLE"
        tree = _tree(text)
        keys = []
        for constraint in tree.recursive_crawl("constraint_properties_segment"):
            words = [part.raw_upper for part in constraint.segments if part.is_type("keyword")]
            columns = tuple(part.raw_upper for part in constraint.recursive_crawl("column_reference"))
            if words[1:] not in (["PRIMARY", "KEY"], ["UNIQUE"]):
                raise NotModelled(f"{name}: the constraint {constraint.raw}")
            if is_hybrid and not set(columns) <= set(MODELLED[name]):
                raise NotModelled(f"{name}: the key {columns} has columns that the model does not keep")
            keys.append(columns)
        seeded = sum(1 for _ in tree.recursive_crawl("insert_statement"))
        return Table(name, is_hybrid, tuple(keys) if is_hybrid else (), seeded)

    def _created(self, name: str, *kinds: str) -> tuple[re.Match[str], str]:
        text = self.texts.get(name)
        if text is None:
            raise NotModelled(f"{name} is no object of the store, or several have that name")
        created = _CREATE.search(text)
        if created is None or created["name"] != name or created["kind"] not in kinds:
            raise NotModelled(f"{name} is no {' or '.join(kinds).lower()}")
        return created, text


def _objects(files: list[Path]) -> Iterator[tuple[str, str]]:
    for file in files:
        text = file.read_text()
        if created := _CREATE.search(text):
            yield created["name"], text


@functools.lru_cache(maxsize=64)
def _tree(text: str) -> BaseSegment:
    return parse_tree(text)
