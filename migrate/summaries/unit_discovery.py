"""What the text of a file tells before its units are interpreted: its units, its imports and the names it mentions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

import libcst as cst

from ...rules.core import dtypes
from ...rules.core.dtypes import C_NAMES
from ...rules.facts.values import replace
from ..syntax import scopes as scope
from ..syntax.decorators import applied
from ..syntax.scopes import Scopes
from ..syntax.source import COMPOUND, Source, children
from .units import MODULE, UFUNC_TYPE, Module, Unit

HOLDING = COMPOUND | {cst.IndentedBlock, cst.Else, cst.Finally, cst.ExceptHandler}  # statements that may contain definitions
NAMES = [name for name, dtype in C_NAMES.items() if dtypes.is_narrow(dtype) and dtype != "uint64"]
NARROW = re.compile(
    r"(?<![a-zA-Z])(float16|float32|complex64|u?int(?:8|16|32))(?!\d)|\.(" + "|".join(NAMES) + r""")\b|([fiu][124]|c8)['"]"""
)  # how programs name dtypes of less than 64 bits


def read(source: Source) -> Module:
    scopes = scope.build(source)
    found: dict[str, Unit] = {}
    for unit in units(source, scopes):
        name = uniquely_named(unit, found)
        found[name] = unit if name == unit.name else replace(unit, name=name)
    module = Module(source, scopes, found, nodes_of_units(source, found.values()))
    module.imports, module.unsure = imported_names(module), unsure_imports(module)
    module.mentioned = mentioned(module)
    module.of_jax = of_jax(module)
    module.narrow = frozenset(map(_dtype, NARROW.findall(source.text))) - {""}
    return module


def _dtype(found: tuple[str, str, str]) -> str:
    """The dtype that a text names: directly, by another name, or by a code such as "i4"."""
    plain, name, code = found
    return dtypes.named(plain or name or code)


def uniquely_named(unit: Unit, others: Mapping[str, Unit]) -> str:
    """A unique name for each definition: "m.C.x@setter" for a property, "m.f@2" for a repeated definition."""
    accessor = next((d.rpartition(".")[2] for d in unit.decorators if d.endswith((".setter", ".deleter"))), "")
    name = f"{unit.name}@{accessor}" if accessor else unit.name
    number = 2
    while name in others:
        name, number = f"{unit.name}@{accessor}{number}", number + 1
    return name


def nodes_of_units(source: Source, found: Iterable[Unit]) -> dict[str, list[cst.CSTNode]]:
    """The nodes of each unit, in source order. They include the definition itself, its decorators and defaults."""
    name_of: dict[cst.CSTNode, str] = {u.node: u.name for u in found}
    owner: dict[cst.CSTNode, list[cst.CSTNode]] = {}
    result: dict[str, list[cst.CSTNode]] = {name: [] for name in name_of.values()}
    for node, parent in source.parents.items():
        name = name_of.get(node)
        nodes = result[name] if name is not None else owner[parent]  # type: ignore[index]  # only the module has no parent
        nodes.append(node)
        owner[node] = nodes
    return result


def units(source: Source, scopes: Scopes) -> Iterator[Unit]:
    """The units of a file: functions at module level, also under `if` and `try`, and methods of classes there."""
    yield Unit(f"{source.name}.{MODULE}", source.module)
    for node, _parent in walk_definitions(source.module):
        if isinstance(node, cst.FunctionDef):
            name = scopes.qualname(node.name) or f"{source.name}.{node.name.value}"
            made_by = applied(node, source, scopes)
            yield Unit(name, node, parameters(node.params), decorators=decorators(node, scopes), applied=made_by)
        else:
            owner = scopes.qualname(node.name) or f"{source.name}.{node.name.value}"
            for inner, _p in walk_definitions(node.body):
                if isinstance(inner, cst.FunctionDef):
                    named, made_by = decorators(inner, scopes), applied(inner, source, scopes)
                    yield Unit(f"{owner}.{inner.name.value}", inner, parameters(inner.params), owner, named, made_by)


def walk_definitions(root: cst.CSTNode) -> Iterator[tuple[cst.FunctionDef | cst.ClassDef, cst.CSTNode]]:
    """The definitions below `root`, without nested ones."""
    stack: list[tuple[cst.CSTNode, cst.CSTNode]] = [(c, root) for c in reversed(children(root))]
    while stack:
        node, parent = stack.pop()
        if type(node) is cst.FunctionDef or type(node) is cst.ClassDef:
            yield node, parent
        elif type(node) in HOLDING:
            stack.extend((c, node) for c in reversed(children(node)))


def parameters(params: cst.Parameters) -> tuple[str, ...]:
    return tuple(p.name.value for p in (*params.posonly_params, *params.params, *params.kwonly_params))


def decorators(node: cst.FunctionDef, scopes: Scopes) -> tuple[str, ...]:
    found = []
    for decorator in node.decorators:
        target = decorator.decorator.func if isinstance(decorator.decorator, cst.Call) else decorator.decorator
        found.append(
            scopes.qualname(target) or (target.value if isinstance(target, cst.Name) else cst.Module([]).code_for_node(target))
        )
    return tuple(found)


def unsure_imports(module: Module) -> frozenset[str]:
    """Imports under a name that is also bound otherwise: calls by this name are not resolved."""
    found: set[str] = set()
    for node, parent in module.source.parents.items():
        if type(node) is not cst.ImportAlias:
            continue
        owner: cst.CSTNode | None = parent
        while owner is not None and not isinstance(owner, (cst.FunctionDef, cst.ClassDef, cst.Module)):
            owner = module.source.parents.get(owner)
        local: cst.CSTNode = node.asname.name if node.asname is not None else node.name
        while isinstance(local, cst.Attribute):
            local = local.value
        target = module.scopes.imported(node)
        bindings = module.scopes.opened_by(owner or module.source.module).names
        if target is not None and isinstance(local, cst.Name) and len(bindings.get(local.value, ())) > 1:
            found |= {target, f"{target}.*"}
    return frozenset(found)


def mentioned(module: Module) -> tuple[tuple[str, int], ...]:
    """How often the text mentions each definition or import, by dotted name; of NumPy's names only UFUNC_TYPE."""
    parents, scopes = module.source.parents, module.scopes
    typed = UFUNC_TYPE.rpartition(".")[2] in module.source.text
    names = {name for name, target in scopes.exports().items() if typed or target.partition(".")[0] != "numpy"}
    names |= {u.node.name.value for u in module.units.values() if isinstance(u.node, cst.FunctionDef)}
    found: Counter[str] = Counter()
    for node, parent in parents.items():
        if type(node) is not cst.Name or node.value not in names:
            continue
        if isinstance(parent, cst.FunctionDef) and parent.name is node:
            continue
        whole: cst.CSTNode = node
        while isinstance(parent, cst.Attribute) and parent.value is whole:
            whole, parent = parent, parents[parent]
        if (name := scopes.qualname(whole)) is not None and (name == UFUNC_TYPE or name.partition(".")[0] != "numpy"):
            found[name] += 1
    return tuple(found.items())


def of_jax(module: Module) -> frozenset[str]:
    """The units that mention a name from JAX."""
    names = {name for name, target in module.scopes.exports().items() if target.partition(".")[0] == "jax"}
    return frozenset(
        unit for unit, nodes in module.nodes.items() if names and any(type(n) is cst.Name and n.value in names for n in nodes)
    )


def imported_names(module: Module) -> frozenset[str]:
    """The dotted names of all imports of the file, at any level."""
    found: set[str] = set()
    for node in module.source.parents:
        if type(node) is cst.ImportAlias:
            parent = module.source.parents[node]
            name = scope.dotted(node.name) or ""
            if isinstance(parent, cst.ImportFrom):
                base = module.scopes.imported_from(parent)
                found.add(f"{base}.{name}" if base else name)
            else:
                found.add(module.source.absolute(name))
    return frozenset(found)
