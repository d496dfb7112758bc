"""Two functions of this process on the same arguments: the check behind `assert_equivalent`, and what `shadow` compares."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax

from ..inputs.edge_cases import PERTURBED, perturbed
from ..sandbox.execution import as_jax, as_numpy, jax64, perform
from ..values.calls import Arguments, Outcome, call_difference, inferred
from ..values.comparison import Comparison, Difference, Policy
from ..values.contract import Contract
from ..values.errors import ShimError
from ..values.snapshot import Freezer, Node, obstacle


class Live:
    """Maps the classes and functions of this process to names, and back."""

    def __init__(self) -> None:
        self.values: list[Any] = []

    def locate(self, value: Any) -> str:
        self.values.append(value)
        return f"{len(self.values) - 1}::{getattr(value, '__qualname__', '?')}"

    def find(self, name: str) -> Any:
        return self.values[int(name.partition(":")[0])]


@dataclass(frozen=True, slots=True)
class LiveCall:
    """One call of the original with copies of the arguments. `returns`: the parameters that the converted function returns after
    its results; None if nobody said."""

    original: Callable[..., Any]
    live: Live
    arguments: Arguments
    params: tuple[str, ...]
    returns: tuple[str, ...] | None

    def run(self, arguments: Arguments | None = None) -> Outcome:
        """Call the original. Raises what it raises."""
        call = arguments or self.arguments
        return perform(self.original, call, find=self.live.find, locate=self.live.locate, array=as_numpy)

    def summary(self) -> str:
        """The call in one line."""
        return self.arguments.summary(self.params)


def live_call(
    original: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], returns: tuple[str, ...] | None
) -> LiveCall:
    """A call with copies of these arguments. Raises ShimError if they cannot be copied, or if `returns` names no parameters."""
    live = Live()
    both = Freezer(live.locate).take_snapshot([tuple(args), dict(kwargs)])
    assert isinstance(both, Node)
    if problem := obstacle(both):
        raise ShimError(f"the arguments cannot be copied: {problem}")
    params = _parameters(original, len(args))
    if unknown := [name for name in returns or () if name not in params]:
        raise ShimError(f"returns={unknown}: {getattr(original, '__qualname__', 'the original')} has no such parameter")
    return LiveCall(original, live, Arguments(Node("call", items=both.items)), params, returns)


def difference(call: LiveCall, want: Outcome, got: Outcome) -> Difference | None:
    """How the outcome of the converted function differs from the original's, but for rounding; None if it does not."""
    loose = call.returns is None
    known = inferred(Contract("", "", ""), call.params, [(call.arguments, want)])
    returns = known.returns if call.returns is None else call.returns
    contract = Contract("", "", getattr(call.original, "__qualname__", "?"), call.params, returns, known.results)
    policy = Policy("float64" if jax64() else "float32", jax.default_backend() != "cpu")
    found = call_difference(Comparison(policy), call.params, want, got, contract, (), loose)
    if found is not None and found.index is not None:
        others = [call.run(perturbed(call.arguments, seed)) for seed in range(PERTURBED)]
        found = call_difference(Comparison(policy), call.params, want, got, contract, others, loose)
    return found


def check_equivalent(
    original: Callable[..., Any],
    converted: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    returns: tuple[str, ...],
) -> None:
    """Raise AssertionError if the converted function differs from the original, jitted or not."""
    call = live_call(original, args, kwargs, returns)
    want = call.run()
    for mode in ("as it is", "without jit"):
        context = jax.disable_jit() if mode == "without jit" else None
        live = call.live
        got = perform(converted, call.arguments, find=live.find, locate=live.locate, array=as_jax, context=context)
        if (found := difference(call, want, got)) is not None:
            raise AssertionError(f"{getattr(original, '__qualname__', '?')} differs ({mode}): {found}, on {call.summary()}")


def _parameters(function: Callable[..., Any], given: int) -> tuple[str, ...]:
    try:
        return tuple(inspect.signature(function).parameters)
    except ValueError:  # ufuncs of older NumPy have no signature
        return tuple(f"x{number}" for number in range(1, given + 1))
