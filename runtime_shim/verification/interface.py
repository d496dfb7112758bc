"""What callers rely on before they call a function: its parameters and their defaults."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ..sandbox.session import Description
from ..values.snapshot import Snapshot

TOLERANCE = 1e-3  # a default below it may be a tolerance, which float32 needs larger
PLAIN = (bool, int, float, str)


def interface_difference(
    ours: Description, theirs: Description, defaults: Mapping[str, Snapshot], converted: Mapping[str, Snapshot], precision: str
) -> str:
    """A parameter that the converted version does not have, or one with another default, in words; "" if there is none."""
    least = TOLERANCE if precision == "float32" else 0.0
    new = [name for name in theirs.names if name not in ours.names]
    gone = [name for name in ours.names if name not in theirs.names]
    variable = any(param["kind"].startswith("VAR") for param in theirs.params)
    if len(gone) > len(new) and not variable:  # others may have another name
        return f"the converted version has no parameter `{gone[-1]}`"
    for name, value in defaults.items():
        other = converted.get(name, value)
        if _differ(value, other, least):
            return f"the default of `{name}` is {value!r} in the original, {other!r} in the converted version"
    return ""


def _differ(one: Snapshot, other: Snapshot, least: float) -> bool:
    if type(one) is not type(other) or not isinstance(one, PLAIN):
        return False
    if isinstance(one, float) and isinstance(other, float):
        small = any(0 < abs(value) < least for value in (one, other))
        return not small and not math.isclose(one, other, rel_tol=1e-6) and one == one
    return one != other
