"""Progress of long calls: a tqdm bar if tqdm is installed, else lines on standard error."""
from __future__ import annotations

import importlib
import math
import sys
import time
from typing import Any, Callable, Optional

ProgressFunction = Callable[[str, str, int, int, float, float], None]


class Progress:
    """Called by the library every 20 to 50 milliseconds; use it as a context manager."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.bar: Any = None
        self.phase = ""
        self.next = time.monotonic() + 1
        try:
            self.tqdm: Any = importlib.import_module("tqdm.auto").tqdm
        except ImportError:
            self.tqdm = None

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *exception: object) -> None:
        if self.bar is not None:
            self.bar.close()

    def __call__(self, phase: str, unit: str, done: int, total: int, gap: float, target: float) -> None:
        at = "" if math.isnan(gap) else f"gap {gap:.3g} (target {target:.3g})"
        if self.tqdm is None:
            self._line(phase, unit, done, total, at)
            return
        if self.bar is None or phase != self.phase:
            if self.bar is not None:
                self.bar.close()
            self.phase = phase
            self.bar = self.tqdm(desc=f"{self.title}: {phase}", total=total or None, unit=unit or "it")
        self.bar.n = done
        self.bar.set_postfix_str(at)

    def _line(self, phase: str, unit: str, done: int, total: int, at: str) -> None:
        now = time.monotonic()
        if now < self.next:
            return
        self.next = now + 1
        of = f" of {total}" if total else ""
        print(f"{self.title}: {phase}, {done}{of} {unit} {at}".rstrip(), file=sys.stderr)


def progress_of(verbose: object, title: str) -> Optional[Progress]:
    """None unless ``verbose``."""
    return Progress(title) if verbose else None
