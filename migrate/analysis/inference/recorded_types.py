"""What recorded calls tell of parameters that nothing else describes: `convert --evidence`.

The dtypes of the calls are not taken over: other calls may have others, and what depends on them remains a condition.
"""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from ....rules.core.findings import Kind
from ....rules.facts.values import Value, replace
from ..state.project_facts import Facts
from . import declared_types

VALUES: Mapping[str, Value] = {
    "array": Value(Kind.ARRAY),
    "bool": Value(Kind.SCALAR, "bool", 0),
    "int": Value(Kind.SCALAR, "int", 0),
    "float": Value(Kind.SCALAR, "float", 0),
    "number": Value(Kind.SCALAR, "", 0),
    "text": Value(Kind.STRING),
}
WORDS = {"bool": "a bool", "int": "an int", "float": "a float", "number": "a number", "text": "a string"}


def recorded(function: cst.FunctionDef, name: str, path: str, facts: Facts) -> dict[str, str]:
    """The kinds of the arguments in the recorded calls, for parameters without an annotation and a default. `name`: that of the function
    in its file; `path`: that of the file."""
    calls = [each for each in facts.program.recorded.get(name, ()) if f"/{path.replace(chr(92), '/')}".endswith(f"/{each.file}")]
    if len(calls) != 1:
        return {}
    params = [*function.params.posonly_params, *function.params.params]
    given = dict(calls[0].named) | {param.name.value: kind for param, kind in zip(params, calls[0].positional, strict=False)}
    plain = {param.name.value for param in params if param.annotation is None and param.default is None}
    documented = dict(declared_types.docstring_kinds(function.get_docstring() or ""))
    return {param: kind for param, kind in given.items() if kind and param in plain and param not in documented}


def value_of(kind: str) -> Value:
    name, _space, rank = kind.partition(" ")
    return replace(VALUES[name], rank=int(rank)) if rank else VALUES[name]


def words(param: str, kind: str) -> str:
    """The condition that the calls of a converted function are like those that were recorded."""
    name, _space, rank = kind.partition(" ")
    what = WORDS.get(name) or ("an array" if not rank else _of_rank(rank))
    return f"`{param}` is {what}, as in the recorded calls"


def known_words(param: str, rank: int) -> str:
    """The condition that the calls of a converted function are like those in the project."""
    return f"`{param}` is {_of_rank(str(rank))}, as in the calls of the project"


def _of_rank(rank: str) -> str:
    return f"an array of {rank} dimension{'' if rank == '1' else 's'}"
