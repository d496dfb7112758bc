"""A function that is called equals NumPy under the conditions that it has itself.

The engine finds these calls, once the conditions of all functions are known.
"""

from __future__ import annotations

from ..core.assumptions import ConditionKind

kind = ConditionKind("call", "see the conditions of the function that is called")
