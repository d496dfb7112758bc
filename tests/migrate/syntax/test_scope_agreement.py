"""Our scopes agree with those of the compiler, and our qualified names with LibCST's, on installed packages."""

import importlib.util
import symtable
from pathlib import Path

import libcst as cst
import pytest
from libcst.metadata import MetadataWrapper, QualifiedNameProvider, QualifiedNameSource

from np2jax.migrate.syntax.bindings import COMPREHENSIONS, parameters
from np2jax.migrate.syntax.locations import positions
from np2jax.migrate.syntax.names import collect
from np2jax.migrate.syntax.scopes import build
from np2jax.migrate.syntax.source import SourceError, parse

EVERY_SYNTAX = Path(__file__).parents[2] / "data" / "every_syntax.txt"


def own_scopes(scopes):
    """(name, first line) -> the scopes of functions, classes and lambdas there."""
    first = {}
    for node in scopes.source.parents:
        match node:
            case cst.FunctionDef(decorators=[decorator, *_]) | cst.ClassDef(decorators=[decorator, *_]):
                first[node] = decorator
            case cst.FunctionDef() | cst.ClassDef() | cst.Lambda():
                first[node] = node
    places = positions(scopes.source, list(first.values()))
    found = {}
    for node, start in first.items():
        name = "lambda" if isinstance(node, cst.Lambda) else node.name.value
        found.setdefault((name, places[start][0]), []).append(scopes.opened_by(node))
    return found


def compare_with_symtable(path, code):
    scopes = build(parse(str(path), "m", False, code))
    own = own_scopes(scopes)
    compared = 0
    stack = [symtable.symtable(code.decode(scopes.source.module.encoding), str(path), "exec")]
    while stack:
        table = stack.pop()
        stack += table.get_children()
        if table.get_type() not in ("function", "class"):
            continue
        candidates = own.get((table.get_name(), table.get_lineno()), [])
        if len(candidates) != 1:
            continue  # several lambdas in one line; comprehensions, which the compiler may inline
        scope = candidates[0]
        compared += 1
        for symbol in table.get_symbols():
            name = symbol.get_name()
            if name.startswith("_") and not name.endswith("__"):
                continue  # perhaps mangled
            if name in ("__class__", "__classdict__", ".0", "__conditional_annotations__", ".type_params", ".generic_base"):
                continue
            home = scopes.lookup(scope, name)
            if symbol.is_global():
                assert home is scopes.module or home is None, (path, table, name)
            elif symbol.is_free():
                assert home is not None and home is not scopes.module and home is not scope, (path, table, name)
            elif symbol.is_local() and not is_comprehension_variable(scope, name):
                assert home is scope, (path, table, name)
    return compared


def is_comprehension_variable(scope, name):
    """Python 3.12 counts the variables of comprehensions, which it inlines, as the function's."""
    return any(
        isinstance(c.node, COMPREHENSIONS) and (name in c.names or is_comprehension_variable(c, name)) for c in scope.children
    )


def installed_files(*packages, most):
    for package in packages:
        yield from sorted(Path(importlib.util.find_spec(package).origin).parent.rglob("*.py"))[:most]


def test_the_compiler_agrees_on_scopes():
    paths = list(installed_files("click", most=12))
    assert sum(compare_with_symtable(path, path.read_bytes()) for path in paths) > 200


@pytest.mark.slow
def test_the_compiler_agrees_on_scopes_of_installed_packages():
    compared = 0
    for path in installed_files("numpy", "libcst", "hypothesis", "scipy", most=30):
        try:
            compared += compare_with_symtable(path, path.read_bytes())
        except (SourceError, SyntaxError):
            continue
    assert compared > 500


def compare_with_names(path, data):
    """What `flow` says of the variables of a function, by other means, is what its scope says."""
    scopes = build(parse(str(path), "m", False, data))
    functions = [node for node in scopes.source.parents if isinstance(node, cst.FunctionDef)]
    for node in functions:
        inside = collect((node.body,))
        bound = inside.bound - inside.declared | {parameter.name.value for parameter in parameters(node.params)}
        only_annotated = scopes.assigned(node) - bound
        for name in only_annotated:
            assert all(isinstance(b, cst.AnnAssign) and b.value is None for b in scopes.opened_by(node).names[name]), (path, name)
        assert bound <= scopes.assigned(node), (path, node.name.value)
        free = collect((node,)).captured
        assert scopes.free(node) - only_annotated <= free, (path, node.name.value, scopes.free(node) - free)
        # a name that a class body binds counts as read from outside, too
        classes = {name for s in below(scopes.opened_by(node)) if isinstance(s.node, cst.ClassDef) for name in s.names}
        outside = [*node.decorators, *(p.default for p in parameters(node.params) if p.default is not None)]
        assert free - classes - only_annotated - collect(outside).captured <= scopes.free(node), (
            path,
            node.name.value,
            free - scopes.free(node),
        )
    return len(functions)


def below(scope):
    yield scope
    for child in scope.children:
        yield from below(child)


def test_names_and_scopes_agree():
    assert compare_with_names("every_syntax", EVERY_SYNTAX.read_bytes()) == 5
    assert sum(compare_with_names(path, path.read_bytes()) for path in installed_files("click", most=12)) > 200


@pytest.mark.slow
def test_names_and_scopes_agree_in_installed_packages():
    compared = 0
    for path in installed_files("numpy", "libcst", "hypothesis", "scipy", most=30):
        try:
            compared += compare_with_names(path, path.read_bytes())
        except SourceError:
            continue
    assert compared > 500


# LibCST's own provider, as a check of qualified names of what was imported. Where it and we may differ:
#
# - it does not know when a name has other bindings in the same scope that are no imports but come from `del`, or where
#   the scope is a class: we then say nothing, which is always allowed here;
# - it follows no assignments (`sqrt = np.sqrt`): it has then no IMPORT-sourced answer, and nothing is compared;
# - relative imports: it gives "..m.x" as written, we give the absolute name. They are not compared here but above.
# - a call in an attribute chain: `np.array(x).T` is "numpy.array.T" for it, and nothing for us;
# - attributes of builtins: `dict.fromkeys` is "builtins.dict" for it; only their names are compared.


def compare_with_libcst(path, data):
    source = parse(str(path), "m", False, data)
    scopes = build(source)
    names = MetadataWrapper(source.module, unsafe_skip_copy=True).resolve(QualifiedNameProvider)
    agreed = 0
    for node in source.parents:
        if not isinstance(node, (cst.Name, cst.Attribute)):
            continue
        found = names.get(node) or set()
        found = found() if callable(found) else found
        if len(found) != 1:
            continue
        (theirs,) = found
        ours = scopes.qualname(node)
        if theirs.source is QualifiedNameSource.IMPORT and ours is not None and not theirs.name.startswith("."):
            assert ours == theirs.name, (path, ours, theirs.name)
            agreed += 1
        if theirs.source is QualifiedNameSource.BUILTIN and ours is not None and isinstance(node, cst.Name):
            assert ours == theirs.name, (path, ours, theirs.name)
    return agreed


def test_libcst_agrees_on_what_was_imported():
    assert sum(compare_with_libcst(path, path.read_bytes()) for path in installed_files("click", most=6)) > 300


@pytest.mark.slow
def test_libcst_agrees_on_what_was_imported_in_installed_packages():
    agreed = 0
    for path in installed_files("numpy", "hypothesis", "scipy", most=20):
        try:
            agreed += compare_with_libcst(path, path.read_bytes())
        except SourceError:
            continue
    assert agreed > 1000
