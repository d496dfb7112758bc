"""The check behind `assert_equivalent`: two functions of this process on the same arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax

from ..inputs.edge_cases import PERTURBED, perturbed
from ..sandbox.execution import as_jax, as_numpy, jax64, perform
from ..values.calls import Arguments, Outcome, call_difference, inferred
from ..values.comparison import Comparison, Policy
from ..values.contract import Contract
from ..values.errors import ShimError
from ..values.snapshot import Freezer, Node, obstacle


class _Live:
    """Maps the classes and functions of this process to names, and back."""

    def __init__(self) -> None:
        self.values: list[Any] = []

    def locate(self, value: Any) -> str:
        self.values.append(value)
        return f"{len(self.values) - 1}::{getattr(value, '__qualname__', '?')}"

    def find(self, name: str) -> Any:
        return self.values[int(name.partition(":")[0])]


def _parameters(function: Callable[..., Any], given: int) -> tuple[str, ...]:
    try:
        return tuple(inspect.signature(function).parameters)
    except ValueError:  # ufuncs of older NumPy have no signature
        return tuple(f"x{number}" for number in range(1, given + 1))


def check_equivalent(
    original: Callable[..., Any],
    converted: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    returns: tuple[str, ...],
) -> None:
    """Raise AssertionError if the converted function differs from the original, jitted or not."""
    live = _Live()
    both = Freezer(live.locate).take_snapshot([tuple(args), dict(kwargs)])
    assert isinstance(both, Node)
    if problem := obstacle(both):
        raise ShimError(f"the arguments cannot be copied: {problem}")
    arguments = Arguments(Node("call", items=both.items))
    params = _parameters(original, len(args))
    if unknown := [name for name in returns if name not in params]:
        raise ShimError(f"returns={unknown}: {getattr(original, '__qualname__', 'the original')} has no such parameter")

    def run_original(call: Arguments) -> Outcome:
        return perform(original, call, find=live.find, locate=live.locate, array=as_numpy)

    want = run_original(arguments)
    results = inferred(Contract("", "", ""), params, [(arguments, want)]).results
    contract = Contract("", "", getattr(original, "__qualname__", "?"), params, returns, results)
    policy = Policy("float64" if jax64() else "float32", jax.default_backend() != "cpu")
    for mode in ("as it is", "without jit"):
        context = jax.disable_jit() if mode == "without jit" else None
        got = perform(converted, arguments, find=live.find, locate=live.locate, array=as_jax, context=context)
        difference = call_difference(Comparison(policy), params, want, got, contract)
        if difference is not None and difference.index is not None:
            others = [run_original(perturbed(arguments, seed)) for seed in range(PERTURBED)]
            difference = call_difference(Comparison(policy), params, want, got, contract, others)
        if difference is not None:
            raise AssertionError(f"{contract.name} differs ({mode}): {difference}, on {arguments.summary(params)}")
