"""Parse trees in small pieces: what several readers ask of a segment."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from sqlfluff.core.parser import BaseSegment

from bench import script
from explorer.catalog import Catalog
from explorer.program import NotModelled


@dataclass
class Scope:
    """The names that a procedure can say, and what they are called in the program."""

    prefix: str
    names: dict[str, str]

    def resolve(self, name: str) -> str:
        """Return the full name of a variable."""
        if name not in self.names:
            raise NotModelled(f"the variable {name}")
        return self.names[name]


def squeezed(text: str) -> str:
    """Return the text in one line, without the spaces that mean nothing."""
    return re.sub(r"\s*([(),.=<>+:|-])\s*", r"\1", " ".join(text.split()))


def code(segment: BaseSegment) -> str:
    """Return the squeezed text without its comments."""
    return squeezed("".join(" " if part.is_comment else part.raw for part in segment.raw_segments))


@functools.lru_cache(maxsize=256)
def parsed(text: str) -> BaseSegment:
    """Return the one statement that a text is."""
    statement = next(script.parse_tree(text).recursive_crawl("statement"))
    return next(part for part in statement.segments if part.is_code)


@dataclass
class Reader:
    """Where a statement stands: among which objects and variables, and where its one row goes."""

    catalog: Catalog
    scope: Scope
    into: tuple[str, ...]


def not_modelled(segment: BaseSegment, why: str) -> NotModelled:
    """Return the refusal of a piece of SQL."""
    text = code(segment)
    return NotModelled(f"{why}: {text if len(text) <= 120 else text[:117] + '...'}")


def child(segment: BaseSegment, *types: str) -> BaseSegment | None:
    """Return the first part of one of these types."""
    return next((part for part in segment.segments if part.is_type(*types)), None)


def needed(segment: BaseSegment, *types: str) -> BaseSegment:
    """Return the first part of one of these types, which has to be there."""
    found = child(segment, *types)
    if found is None:
        raise not_modelled(segment, f"no {types[0]}")
    return found


def alias_of(segment: BaseSegment) -> str | None:
    """Return the alias of a column or a member of FROM."""
    alias = child(segment, "alias_expression")
    return None if alias is None else needed(alias, "naked_identifier").raw_upper


def members(bracketed: BaseSegment) -> list[BaseSegment]:
    """Return what stands between brackets and commas."""
    return [part for part in bracketed.segments if part.is_code and not part.is_type("comma", "symbol")]
