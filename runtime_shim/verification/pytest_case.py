"""A difference as a test of the converted function: its input and NumPy's result, written out."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

import numpy as np

from ..values.calls import Arguments, Outcome
from ..values.comparison import TOLERANCES, Tolerance
from ..values.contract import Contract
from ..values.snapshot import Array, Node, Snapshot, walk
from .printed_output import error_text

MOST_ELEMENTS = 400  # of all arrays that are written out
CONTAINERS = {"tuple": "({})", "list": "[{}]"}


class _NoLiteral(Exception):
    """A value that cannot be written down."""


def pytest_case(contract: Contract, params: Sequence[str], call: Arguments, want: Outcome, precision: str, numpy: bool) -> str:
    """The text of a test that fails as the comparison did; "" where the values cannot be written down, or the function draws.

    `numpy`: the converted function takes NumPy arrays.
    """
    if want.tape is not None or "." in contract.qualname or not contract.module.replace(".", "").isidentifier():
        return ""
    shown = [call.node, *([want.result, want.after.node] if want.after is not None else [])]
    if sum(part.data.size for node in shown for part in walk(node) if isinstance(part, Array)) > MOST_ELEMENTS:
        return ""
    name = contract.qualname
    try:
        given = ", ".join(_arguments(call, "np.array" if numpy else "jnp.array"))
        if want.status == "raised":
            body = [f"with pytest.raises({_exception(want)}{_match(want)}):", f"    {name}({given})"]
        else:
            checks = list(_checks(contract, params, want, precision))
            body = [f"result = {name}({given})", *checks]
    except _NoLiteral:
        return ""
    lines = [f"from {contract.module} import {name}", "", "", f"def test_{name.lower().strip('_')}_is_that_of_numpy():"]
    lines += [f"    {line}" for line in body]
    text = "\n".join(lines) + "\n"
    x64 = 'jax.config.update("jax_enable_x64", True)\n' if precision == "float64" else ""
    used = [
        f"import {module}\n"
        for module, word in (("jax", x64), ("jax.numpy as jnp", "jnp." in text), ("numpy as np", "np." in text))
        if word
    ]
    used += ["import pytest\n"] if "pytest." in text else []
    first, _, rest = text.partition("\n")
    return "".join(used) + f"{first}\n" + (f"\n{x64}" if x64 else "") + rest


def _arguments(call: Arguments, array: str) -> Iterator[str]:
    yield from (_literal(value, array) for value in call.positional)
    yield from (f"{name}={_literal(value, array)}" for name, value in call.keywords.items())


def _exception(want: Outcome) -> str:
    known = getattr(__import__("builtins"), want.exception, None)
    if isinstance(known, type):
        return want.exception
    if hasattr(np.linalg, want.exception):
        return f"np.linalg.{want.exception}"
    raise _NoLiteral


def _match(want: Outcome) -> str:
    """The pattern for the text of an exception; "" if that contains numbers, which may differ by rounding."""
    text = error_text(want.error).partition(": ")[2]
    return f", match={re.escape(text)!r}" if text and not re.search(r"\d", text) else ""


def _checks(contract: Contract, params: Sequence[str], want: Outcome, precision: str) -> Iterator[str]:
    """The assertions about the results and about the arguments that are returned after them."""
    assert want.after is not None
    after = want.after.named(params)
    results = (
        want.result.items
        if isinstance(want.result, Node) and want.result.kind == "tuple" and contract.results != 1
        else [want.result]
    )
    already = {part.ident for part in results if isinstance(part, Array) and part.ident}
    returned = [value for name in contract.returns if (value := after.get(name)) is not None]
    returned = [value for value in returned if not (isinstance(value, Array) and value.ident in already)]
    outputs = [*([] if contract.results == 0 else results), *returned]
    if len(outputs) == 1:
        yield from _equal("result", outputs[0], precision)
    for position, value in enumerate(outputs if len(outputs) != 1 else ()):
        yield from _equal(f"result[{position}]", value, precision)


def _equal(what: str, value: Snapshot, precision: str) -> Iterator[str]:
    match value:
        case Array(data=data) if data.dtype.kind in "fc":
            tolerance = TOLERANCES.get(data.dtype.name if precision == "float64" else "float32", Tolerance(0.0, 0.0))
            largest = float(np.max(np.abs(data[np.isfinite(data)]), initial=0.0))
            bounds = f"rtol={tolerance.rtol:g}, atol={tolerance.scale * largest:g}"
            yield f"np.testing.assert_allclose({what}, {_literal(value, 'np.array')}, {bounds})"
        case Array():
            yield f"np.testing.assert_array_equal({what}, {_literal(value, 'np.array')})"
        case float() | complex():
            yield f"np.testing.assert_allclose({what}, {_literal(value, '')}, rtol=1e-09, atol={1e-11 * abs(value) if np.isfinite(value) else 0.0:g})"
        case Node(kind="tuple" | "list", items=items):
            yield f"assert len({what}) == {len(items)}"
            for position, item in enumerate(items):
                yield from _equal(f"{what}[{position}]", item, precision)
        case Node(kind="dict", items=items):
            for key, item in zip(items[::2], items[1::2], strict=True):
                yield from _equal(f"{what}[{_literal(key, '')}]", item, precision)
        case None:
            yield f"assert {what} is None"
        case _:
            yield f"assert {what} == {_literal(value, '')}"
    if isinstance(value, Array) and precision == "float64":
        yield f'assert {what}.dtype == "{value.data.dtype.name}"'


def _literal(value: Snapshot, array: str) -> str:
    """The value as an expression. Raises _NoLiteral for what has none."""
    match value:
        case Array(data=data) if array and data.dtype.kind in "biufc":
            if not data.size and data.ndim > 1:
                return f'{array.partition(".")[0]}.zeros({data.shape}, dtype="{data.dtype.name}")'
            return f'{array}({_numbers(repr(data.tolist()))}, dtype="{data.dtype.name}")'
        case float() | complex() if not np.isfinite(value):
            if isinstance(value, complex):
                raise _NoLiteral
            return "np.nan" if math.isnan(value) else "np.inf" if value > 0 else "-np.inf"
        case bool() | int() | float() | complex() | str() | bytes() | None:
            return repr(value)
        case Node(kind="tuple" | "list" as kind, items=items):
            inner = ", ".join(_literal(item, array) for item in items)
            return CONTAINERS[kind].format(inner + ("," if kind == "tuple" and len(items) == 1 else ""))
        case Node(kind="dict", name="", items=items):
            pairs = zip(items[::2], items[1::2], strict=True)
            return "{" + ", ".join(f"{_literal(key, array)}: {_literal(item, array)}" for key, item in pairs) + "}"
    raise _NoLiteral


def _numbers(text: str) -> str:
    return re.sub(r"\b(nan|inf)\b", r"np.\1", text)
