"""One call of one function: its arguments, its outcome, and whether the converted function did the same.

For an argument that the original changes in place, the converted function returns the new value, after the results, in
parameter order.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .comparison import Comparison, Difference, describe, identical
from .contract import Contract
from .snapshot import Array, Node, Snapshot, walk

TINY = 8.0  # a difference of what is left of numbers that cancel, in units of the last place of the largest argument
STOPPED = "Stopped"  # in place of the type of an exception: the call was stopped, as it writes a file, for instance
MOST_LOOSE = 8  # parameters considered as possibly returned if there is no contract


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of one call: a "tuple" node of the positional ones and a "dict" node of the others, in a "call" node."""

    node: Node

    @property
    def positional(self) -> tuple[Snapshot, ...]:
        """The positional arguments."""
        return _items(self.node.items[0])

    @property
    def keywords(self) -> dict[str, Snapshot]:
        """The keyword arguments by name."""
        items = _items(self.node.items[1])
        return {str(name): value for name, value in zip(items[::2], items[1::2], strict=True)}

    def named(self, params: Sequence[str]) -> dict[str, Snapshot]:
        """All arguments by the name of their parameter; those in `*args` by their position."""
        names = [params[position] if position < len(params) else f"*{position}" for position in range(len(self.positional))]
        return dict(zip(names, self.positional, strict=True)) | self.keywords

    def summary(self, params: Sequence[str]) -> str:
        """The call in one line, such as `x=float64[3], n=2`."""
        return ", ".join(f"{name}={describe(value)}" for name, value in self.named(params).items())


def arguments(positional: Iterable[Snapshot], keywords: dict[str, Snapshot] | None = None) -> Arguments:
    """The arguments of a call from their snapshots."""
    pairs = tuple(part for pair in (keywords or {}).items() for part in pair)
    return Arguments(Node("call", items=(Node("tuple", items=tuple(positional)), Node("dict", items=pairs))))


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a call. `status`: "returned", "raised" (with `error`, one line) or "refused" (`error` says why).

    `after`: the arguments after the call. `warned`: it issued a RuntimeWarning (division by zero, overflow, invalid value).
    """

    status: str
    result: Snapshot = None
    after: Arguments | None = None
    error: str = ""
    warned: bool = False
    seconds: float = 0.0
    line: int = 0  # the line of the called function that raised
    exception: str = ""  # its type, if it raised
    deliberate: bool = False  # a `raise` or an `assert` of the tree raised it
    tape: Snapshot = None  # its draws (see tape.py), None for none
    keys: bool = False  # the converted function drew with keys
    seeds: tuple[tuple[str, str, bool], ...] = ()  # of the converted function; see Seeding
    trouble: str = ""  # how the draws of the converted function differ from the original's
    path: Mapping[str, Any] = field(default_factory=dict)  # what LineTrace or StatementTrace found
    printed: str = ""  # what it wrote to the standard output
    messages: str = ""  # its warnings, messages of `logging`, and text on the standard error output
    steps: Snapshot = None  # the values that StatementTrace kept
    shares: tuple[int | str, ...] | None = (
        None  # positions and keywords of arguments whose memory its result shares; None if not known
    )


def call_difference(
    comparison: Comparison,
    params: Sequence[str],
    want: Outcome,
    got: Outcome,
    contract: Contract,
    alternatives: Sequence[Outcome] = (),
    loose: bool = False,
) -> Difference | None:
    """How the converted call differs from the original one: in its results, in the returned arguments or in its other arguments.

    `loose`: the contract is inferred from observed calls only: further arguments may be returned, changed by this call or not.
    """
    assert want.after is not None and got.after is not None
    after, now = want.after.named(params), got.after.named(params)
    others = [(other.result, other.after.named(params)) for other in alternatives if other.status == "returned" and other.after]
    results = {_ident(part) for part in (want.result, *_items(want.result))}
    in_jax = {name for name, value in after.items() if isinstance(value, Array) and has_jax(got.result)}
    also_returned = {name for name, value in after.items() if _ident(value) and _ident(value) in results}
    first: Difference | None = None
    for names in [*_output_parameters(after, also_returned, contract, loose), *_filled(now, contract)]:
        split = _split(got.result, contract.results, names)
        if split is None:
            continue
        result, outputs = split
        found = comparison.difference("result", want.result, result, [other for other, _ in others])
        for name, value in outputs.items():
            moved = [other[name] for _, other in others if name in other]
            found = found or comparison.difference(f"`{name}` returned", after[name], value, moved)
        found = found or _kept_arguments(comparison, after, now, {*outputs, *(also_returned & in_jax)}, others)
        found = found or _handed_out(want, got, params)
        if found is None:
            return None
        first = first or found
    return first or _wrong_count(want, got, contract)


def _handed_out(want: Outcome, got: Outcome, params: Sequence[str]) -> Difference | None:
    """Whether the result shares its memory with an argument, where that of the original shares none: who changes it changes the argument."""
    if want.shares is None or want.shares or not got.shares:
        return None
    where = got.shares[0]
    name = params[where] if isinstance(where, int) and where < len(params) else f"{where}"
    return Difference("result", f"it shares its memory with `{name}`: the original returns a copy")


def has_jax(result: Snapshot) -> bool:
    """Whether there is an array of JAX in a result: code of NumPy, which has none, changes arrays in place."""
    return any(isinstance(part, Array) and part.origin == "jax" for part in walk(result))


def _filled(now: dict[str, Snapshot], contract: Contract) -> list[tuple[str, ...]]:
    """One case more, without returned parameters, if these were NumPy arrays: the converted function may have filled them."""
    given = [now.get(name) for name in contract.returns]
    return [()] if given and all(isinstance(value, Array) and value.origin == "ndarray" for value in given) else []


def _output_parameters(
    after: dict[str, Snapshot], also_returned: set[str], contract: Contract, loose: bool
) -> list[tuple[str, ...]]:
    """The parameters that may follow the results: all in the contract, or those that are not among the results already."""
    if loose:
        may = [name for name, value in after.items() if isinstance(value, Array) and value.origin == "ndarray"][:MOST_LOOSE]
        every = [names for count in range(len(may) + 1) for names in itertools.combinations(may, count)]
        return sorted(every, key=lambda names: (names != contract.returns, len(names)))
    names = tuple(name for name in contract.returns if name in after)
    fewer = tuple(name for name in names if name not in also_returned)
    return [names] if fewer == names else [names, fewer]


def _split(result: Snapshot, results: int, outputs: tuple[str, ...]) -> tuple[Snapshot, dict[str, Snapshot]] | None:
    """The value of the converted function, split into the original's result and the returned arguments."""
    result = _without_key(result, results + len(outputs))
    if not outputs:
        return result, {}
    if results == 0 and len(outputs) == 1:
        return None, {outputs[0]: result}
    items = result.items if isinstance(result, Node) and result.kind == "tuple" else ()
    if len(items) != results + len(outputs):
        return None
    front: Snapshot = None if results == 0 else items[0] if results == 1 else Node("tuple", items=items[:results])
    return front, dict(zip(outputs, items[results:], strict=True))


def _without_key(result: Snapshot, expected: int) -> Snapshot:
    """A function's result without the key that it returns because it seeded NumPy's state for its callers."""
    if not isinstance(result, Node):
        return result
    if expected == 0 and result.kind == "key":
        return None
    last = result.items[-1] if result.kind == "tuple" and len(result.items) == expected + 1 else None
    if not isinstance(last, Node) or last.kind != "key":
        return result
    return result.items[0] if expected == 1 else Node("tuple", items=result.items[:-1])


def _wrong_count(want: Outcome, got: Outcome, contract: Contract) -> Difference:
    count = len(_items(got.result)) or 1
    expected = " then ".join(
        ([f"{contract.results} result(s)"] if contract.results else []) + [f"`{name}`" for name in contract.returns]
    )
    return Difference(
        "result", f"{count} value(s) returned, expected {expected}", None, describe(want.result), describe(got.result)
    )


def _kept_arguments(
    comparison: Comparison,
    want: dict[str, Snapshot],
    got: dict[str, Snapshot],
    outputs: set[str],
    others: Sequence[tuple[Snapshot, dict[str, Snapshot]]],
) -> Difference | None:
    """A difference in an argument that is not returned: what the caller observes in it after the call."""
    comparison.written_back = {_ident(want[name]): name for name in outputs if _ident(want[name])}
    for name, value in want.items():
        if name in outputs or name not in got or not _mutable(value):
            continue
        found = comparison.difference(
            f"argument `{name}` after the call", value, got[name], [o[name] for _, o in others if name in o]
        )
        if found is not None:
            reason = f"the original changes it in place, the converted function does not return it ({found.reason})"
            comparison.written_back = {}
            return Difference(found.where, reason, found.index, found.want, found.got)
    comparison.written_back = {}
    return None


def identical_outcomes(one: Outcome, other: Outcome) -> bool:
    """Whether the outcomes of two calls of one function are identical to the last bit."""
    assert one.after is not None and other.after is not None
    return identical(one.result, other.result) and identical(one.after.node, other.after.node)


def without_defaults(call: Arguments, params: Sequence[str], defaults: Mapping[str, Snapshot]) -> Arguments:
    """The call without arguments that equal their defaults, so that both versions use their own defaults."""
    positional, keywords = list(call.positional), dict(call.keywords)
    if len(positional) <= len(params):
        while positional and _is_default(positional[-1], params[len(positional) - 1], defaults):
            positional.pop()
    keywords = {name: value for name, value in keywords.items() if not _is_default(value, name, defaults)}
    return arguments(positional, keywords)


def _is_default(value: Snapshot, name: str, defaults: Mapping[str, Snapshot]) -> bool:
    """Whether an argument is the default of its parameter, and immutable."""
    return name in defaults and not _mutable_or_array(value) and identical(value, defaults[name])


def _mutable_or_array(value: Snapshot) -> bool:
    constant = ("tuple", "global", "dtype", "enum", "slice", "ellipsis", "module")
    return any(isinstance(part, Array) or (isinstance(part, Node) and part.kind not in constant) for part in walk(value))


def changed(before: Arguments, after: Arguments, params: Sequence[str]) -> tuple[str, ...]:
    """The parameters whose arguments a call changed, in parameter order."""
    was, now = before.named(params), after.named(params)
    return tuple(name for name, value in was.items() if _mutable(value) and not identical(value, now[name]))


def inferred(contract: Contract, params: Sequence[str], calls: Sequence[tuple[Arguments, Outcome]]) -> Contract:
    """A contract inferred from observed calls, without one from the analysis: changed arguments are returned.

    Only arrays (and tuples of them) are returned; lists, dicts and instances are changed in place in both versions.
    """
    returns: list[str] = []
    results = 1
    for before, outcome in calls:
        assert outcome.after is not None
        same = {_ident(part) for part in (outcome.result, *_items(outcome.result))}
        for name in changed(before, outcome.after, params):
            value = outcome.after.named(params)[name]
            in_place = isinstance(value, Node) and value.kind != "tuple"
            if name not in returns and not in_place and not (_ident(value) and _ident(value) in same):
                returns.append(name)
        if outcome.result is None:
            results = 0
        elif isinstance(outcome.result, Node) and outcome.result.kind == "tuple":
            results = len(outcome.result.items)
    order = {name: position for position, name in enumerate(params)}
    return Contract(
        contract.file,
        contract.module,
        contract.name,
        tuple(params),
        tuple(sorted(returns, key=lambda name: order.get(name, 99))),
        results,
    )


def _ident(value: Snapshot) -> int:
    return value.ident if isinstance(value, Array | Node) else 0


def _items(value: Snapshot) -> tuple[Snapshot, ...]:
    return value.items if isinstance(value, Node) and value.kind in ("tuple", "list", "dict") else ()


def _mutable(value: Snapshot) -> bool:
    fixed = ("global", "module", "dtype", "enum", "ellipsis")
    return any(
        part.kind not in fixed if isinstance(part, Node) else isinstance(part, Array) and part.origin != "scalar"
        for part in walk(value)
    )


def is_tiny(difference: Difference, arguments: Arguments, least: float = 0.0) -> bool:
    """Whether an element differs by no more than rounding errors of the arguments: what is left of numbers that cancel.

    `least`: a number of this size is computed with, whatever is given.
    """
    try:
        gap = abs(complex(difference.want) - complex(difference.got))
    except ValueError:
        return False
    arrays = [part.data for part in walk(arguments.node) if isinstance(part, Array) and part.data.dtype.kind in "iufc"]
    finite = [np.max(np.abs(data[np.isfinite(data)].astype(complex)), initial=0.0) for data in arrays]
    eps = max((float(np.finfo(data.dtype).eps) for data in arrays if data.dtype.kind in "fc"), default=float(np.finfo(float).eps))
    numbers = [abs(part) for part in walk(arguments.node) if isinstance(part, int | float) and abs(part) < math.inf]
    return bool(0 < gap <= TINY * eps * max(*finite, *numbers, least, 0.0))
