"""The forms that each argument of one function may have, from everything that is known about the function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..sandbox.session import Description, Side
from ..sandbox.staging import FunctionPair
from ..values.calls import Arguments, arguments
from ..values.snapshot import Snapshot
from .leaves import is_number
from .parameter_hints import hints
from .signatures import Form, Model, options


@dataclass(frozen=True, slots=True)
class ArgumentForms:
    """The possible forms of each parameter, the likeliest first, and the parameters that are passed by keyword.

    `ranks`: those that the code itself tells apart.
    """

    forms: list[tuple[str, list[Form]]]
    by_name: frozenset[str]
    defaults: Mapping[str, Snapshot]
    ranks: Mapping[str, tuple[int, ...]]

    def is_intended(self, model: Model) -> bool:
        """Whether the code has a case for the rank of every array."""
        arrays = [(name, form.rank) for name, form in model.forms if form.kind == "array"]
        return bool(arrays) and all(rank in self.ranks[name] for name, rank in arrays)


def with_defaults(call: Arguments, names: Sequence[str], defaults: Mapping[str, Snapshot]) -> Arguments:
    """The call with the numbers that are left out passed by keyword, so that they can be changed."""
    given = call.named(names)
    left_out = {name: value for name, value in defaults.items() if name not in given and is_number(value)}
    return arguments(call.positional, call.keywords | left_out)


def with_small_limits(call: Arguments, names: Sequence[str], defaults: Mapping[str, Snapshot]) -> list[Arguments]:
    """The call with 2 for each whole number that a default makes larger: an iteration that converges hides how often it runs."""
    small = {name: 2 for name, value in defaults.items() if type(value) is int and value > 2 and call.keywords.get(name) == value}
    return [arguments(call.positional, call.keywords | small)] if small else []


def argument_forms(pair: FunctionPair, about: Description, original: Side, own: Sequence[Form] = ()) -> ArgumentForms | str:
    """The forms of the arguments, or which parameter has none, as a reason in words. Raises Ended.

    `own`: the forms of the first parameter of a method.
    """
    names = about.names
    defaults = original.defaults(pair.file, pair.name)
    annotations = {param["name"]: param["annotation"] for param in about.params}
    changed = dict.fromkeys(pair.contract.returns, "array")  # what is changed in place is an array
    told = hints(pair.source, names, annotations, about.doc, defaults, changed | pair.contract.required)
    forms = []
    for position, name in enumerate(names):
        made = [*own] if own and position == 0 else options(told[name], defaults.get(name), name in defaults)
        if not made:
            return f"no value can be generated for the parameter `{name}`"
        forms.append((name, made))
    by_name = frozenset(param["name"] for param in about.params if param["kind"] == "KEYWORD_ONLY")
    return ArgumentForms(forms, by_name, defaults, {name: told[name].tested for name in names})
