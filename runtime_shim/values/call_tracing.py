"""A trace function for the code of one block."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


@contextmanager
def traced_calls(called: Callable[[FrameType, str, Any], Any]) -> Iterator[None]:
    """Trace the calls inside the context with `called`, see `sys.settrace`. Afterwards the usual trace function is back."""
    usual = sys.gettrace()
    sys.settrace(called)
    try:
        yield
    finally:
        sys.settrace(usual)
