"""Functions of NumPy whose results are real or complex by their values, such as eigenvalues. JAX has to know when it traces, and takes them
for complex."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ....rules.core.dtypes import category
from ....rules.facts.values import Value
from ...syntax.reaching_definitions import definitions_enclosing
from ..state.interpreter_state import Run

EIGENVALUES = ("numpy.linalg.eig", "numpy.linalg.eigvals")
OF_ROOTS = "numpy.poly"
TO_REAL = ("builtins.abs", "numpy.abs", "numpy.absolute", "numpy.real", "numpy.imag")
PARTS = ("real", "imag")
COMPLEX = 3


def by_values(run: Run, node: cst.Call, name: str, given: Value) -> bool:
    """Whether NumPy may give a real result where JAX gives a complex one, and this can make a difference."""
    if name in EIGENVALUES:
        may_be_real = category(given.dtype) != COMPLEX
    elif name == OF_ROOTS:
        may_be_real = given.rank != 1 or category(given.dtype) == COMPLEX
    else:
        return False
    return may_be_real and not all(_is_real_part(run, read) for read in _reads(run, node))


def _reads(run: Run, node: cst.Call) -> Iterator[cst.BaseExpression]:
    """The expressions that read the result: the variables to which it is assigned, where they are read; else the call itself."""
    assign = run.source.parents[node]
    names = _bound(assign) if isinstance(assign, cst.Assign) else []
    if not names or run.unit.owner is None:
        yield node
        return
    definitions = definitions_enclosing(node, run.source.parents)
    for read in run.source.among(definitions.owner, cst.Name):
        if read.value in names and not run.source.is_label(read) and not _is_target(run, read):
            reaching = definitions.of_use(read, read.value, run.source.parents)
            if reaching is None or assign in reaching:
                yield read


def _is_target(run: Run, node: cst.Name) -> bool:
    above = run.source.parents[node]
    whole = run.source.parents[above] if isinstance(above, cst.Element) else node
    return whole is not None and isinstance(run.source.parents[whole], cst.AssignTarget)


def _bound(assign: cst.Assign) -> list[str]:
    match assign.targets:
        case [cst.AssignTarget(target=cst.Name(value=name))]:
            return [name]
        case [cst.AssignTarget(target=cst.Tuple(elements=elements))]:
            return [e.value.value for e in elements if isinstance(e.value, cst.Name)]
    return []


def _is_real_part(run: Run, node: cst.BaseExpression) -> bool:
    """Whether the same real numbers are made of it, be it real or complex."""
    match run.source.parents[node]:
        case cst.Attribute(value=base, attr=cst.Name(value=name)) if base is node:
            return name in PARTS
        case cst.Arg() as argument if isinstance(call := run.source.parents[argument], cst.Call):
            return run.scopes.qualname(call.func) in TO_REAL
    return False
