"""Everything that can happen: each state once, the shortest way to what must not be, and whether all can end."""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass, field

from explorer.invariants import ENDS
from explorer.machine import Machine
from explorer.state import Broken, State


@dataclass(frozen=True)
class Counterexample:
    """What is broken, and the schedule that breaks it, in as few steps as can be."""

    invariant: str
    what: str
    schedule: tuple[str, ...]

    def __str__(self) -> str:
        lines = [f"{number:3}. {line}" for number, line in enumerate(self.schedule, 1)]
        return "\n".join([f"broken: {self.invariant} ({self.what})", *lines])


@dataclass(frozen=True)
class Result:
    """How much was explored, what calls failed with on the way, and what was found."""

    states: int
    steps: int
    most_inside: int
    errors: Counter[str] = field(hash=False)
    found: Counterexample | None


def explore(machine: Machine, most: int = 2_000_000) -> Result:
    """Go through every state that can be reached, the nearest first."""
    start = machine.start()
    known: dict[State, int] = {start: 0}
    states = [start]
    came_from: list[tuple[int, str]] = [(-1, "")]
    before: list[array[int]] = [array("l")]
    ends: list[int] = []
    errors: Counter[str] = Counter()
    steps = 0
    most_inside = 0
    place = 0
    while place < len(states):
        state = states[place]
        most_inside = max(most_inside, machine.inside(state))
        for label, following, broken, error in machine.steps(state):
            steps += 1
            if error is not None:
                errors[error] += 1
            if broken is not None:
                found = _example(broken, came_from, place, label)
                return Result(len(states), steps, most_inside, errors, found)
            number = known.get(following)
            if number is None:
                number = known[following] = len(states)
                states.append(following)
                came_from.append((place, label))
                before.append(array("l"))
                if len(states) > most:
                    raise RuntimeError(f"more than {most} states")
            before[number].append(place)
        if machine.is_over(state):
            ends.append(place)
        place += 1
    stuck = _stuck(before, ends)
    if stuck is None:
        return Result(len(states), steps, most_inside, errors, None)
    broken = Broken(ENDS, "from here nothing leads to the end of every call")
    return Result(len(states), steps, most_inside, errors, _example(broken, came_from, stuck, None))


def _stuck(before: list[array[int]], ends: list[int]) -> int | None:
    """Return the first state from which no end can be reached."""
    can_end = bytearray(len(before))
    pending = list(ends)
    for place in ends:
        can_end[place] = 1
    while pending:
        for place in before[pending.pop()]:
            if not can_end[place]:
                can_end[place] = 1
                pending.append(place)
    return next((place for place, can in enumerate(can_end) if not can), None)


def _example(broken: Broken, came_from: list[tuple[int, str]], place: int, last: str | None) -> Counterexample:
    schedule = [] if last is None else [last]
    while place > 0:
        place, label = came_from[place]
        schedule.append(label)
    return Counterexample(broken.invariant, broken.what, tuple(reversed(schedule)))
