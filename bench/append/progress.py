"""Lines that say what is running and how long it will go on."""

import time


class Progress:
    """Counts planned seconds down, at the pace observed so far."""

    def __init__(self, planned: float) -> None:
        self._planned = planned
        self._passed = 0.0
        self._began = time.monotonic()

    def step(self, text: str, seconds: float) -> None:
        """Say that this begins now and is planned to take so long."""
        elapsed = time.monotonic() - self._began
        pace = elapsed / self._passed if self._passed > 30 else 1.0
        left = max(0.0, self._planned - self._passed) * pace
        print(f"[{_clock(elapsed)}, about {_clock(left)} left] {text}", flush=True)
        self._passed += seconds


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"
