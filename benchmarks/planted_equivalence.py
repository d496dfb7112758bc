"""Whether a mutant of `benchmarks/planted.py` is the same program as the function that it was made of."""

from __future__ import annotations

import re
import types
from collections.abc import Sequence
from typing import Any

METADATA = re.compile(r", metadata=\{[^}]*\}|^HloModule .*$|^FileNames[\s\S]*?^$|\"[^\"]*\.py\"|stack_frame_id=\d+", re.M)


def same_program(right: str, mutant: str, name: str, calls: Sequence[Any]) -> bool:
    """Whether XLA optimises both to the same program, for the shapes of each of these calls. False if either is not jitted."""
    functions = [_function(text, name) for text in (right, mutant)]
    if not calls or not all(hasattr(function, "lower") for function in functions):
        return False
    try:
        return all(_optimised(functions[0], call) == _optimised(functions[1], call) for call in calls)
    except Exception:  # a call that one of them does not accept
        return False


def _function(text: str, name: str) -> Any:
    module = types.ModuleType("planted")
    exec(compile(text, f"<{name}>", "exec"), module.__dict__)
    return getattr(module, name)


def _optimised(function: Any, call: Any) -> str:
    from np2jax.runtime_shim.sandbox.execution import as_jax
    from np2jax.runtime_shim.values.restore import Thawer

    positional, keywords = (Thawer(lambda name: None, as_jax).restore(part) for part in call.node.items)
    return METADATA.sub("", function.lower(*positional, **keywords).compile().as_text())
