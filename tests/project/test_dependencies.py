"""The one-way imports: rules know libcst only, migrate knows rules, the shim knows neither, only the bridge of the command line loads it."""

import ast
import re
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PARTS = ("migrate", "rules", "runtime_shim")
BRIDGE = ROOT / "migrate" / "commands" / "shim.py"
ALLOWED = {  # top-level packages besides Python's own
    "migrate": {"click", "jinja2", "libcst", "lsprotocol", "markupsafe", "nbformat", "pygls", "rich"},
    "rules": {"libcst"},
    "runtime_shim": {"hypothesis", "jax", "ml_dtypes", "numpy", "pytest"},  # ml_dtypes comes with jax, markupsafe with jinja2
}
MAY_LOAD = {"migrate": {"rules"}, "rules": set(), "runtime_shim": set()}
# The folders of each part, bottom to top: a folder imports only folders that stand before it.
LAYERS = {
    "rules": "core facts context definitions library_table numpy_table syntax dtypes assumptions random_table slices codegen loop_codegen host api mutation random branches "
    "loops parallel compilation jax_table tracing purity keys retracing devices pitfalls",
    "migrate": "syntax analysis/state analysis/symbolic analysis/branches analysis/slices analysis/inference analysis/effects "
    "analysis/random analysis/loops analysis/parallel analysis/interp summaries linking context rewriting lowering/forms lowering/forms/exits lowering tracing notebooks project "
    "files server commands/formats commands/reports commands",
    "runtime_shim": "values draws sandbox inputs verification profit testing",
}
# Modules that import each other, and why they may.
CYCLES = {
    frozenset(
        "builtin_calls calls method_calls nested_calls numpy_calls operations special_methods subscripts super_calls".split()
    ): ("an operator of an object is a call of its method, and an argument of a call is any expression"),
    frozenset("comprehensions expressions loop_statements nested_definitions".split()): (
        "a comprehension runs as a loop, a loop holds expressions, and a lambda is an expression"
    ),
    frozenset("if_conversion parallel_loops".split()): "the arm of a branch may hold a loop, and a loop branches",
}


@cache
def imports(path):
    """The modules that a file imports, absolute, such as "np2jax.rules.core.findings" and "libcst", with the nodes."""
    return [*_imports(path)]


def _imports(path):
    package = ["np2jax", *path.relative_to(ROOT).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*start, *([node.module] if node.module else [])])
            yield module, node
            yield from ((f"{module}.{alias.name}", node) for alias in node.names)


def files(part):
    found = sorted((ROOT / part).rglob("*.py"))
    assert found
    return found


@pytest.mark.parametrize("part", PARTS)
def test_libraries(part):
    wrong = {
        (path.name, module)
        for path in files(part)
        for module, _ in imports(path)
        if (top := module.partition(".")[0]) != "np2jax" and top not in sys.stdlib_module_names and top not in ALLOWED[part]
    }
    assert not wrong


@pytest.mark.parametrize("part", PARTS)
def test_parts(part):
    others = set(PARTS) - {part} - MAY_LOAD[part]
    wrong = {
        (path.name, module)
        for path in files(part)
        for module, _ in imports(path)
        if module.startswith(tuple(f"np2jax.{other}" for other in others)) and path != BRIDGE
    }
    assert not wrong


def test_the_bridge_loads_the_shim_inside_functions_only():
    tree = ast.parse(BRIDGE.read_bytes())
    checking = {id(inner) for node in tree.body if isinstance(node, ast.If) for inner in ast.walk(node)}
    outside = {id(node) for node in tree.body} - checking
    loads = [(module, node) for module, node in imports(BRIDGE) if "runtime_shim" in module]
    assert loads
    assert not [module for module, node in loads if id(node) in outside]


def test_rules_do_not_import_each_other():
    """A rule is a module of `rules` that makes a Rule; what rules share lies in the other modules."""
    rules = {named(path): path for path in files("rules") if "= Rule(" in path.read_text()}
    assert not {(name, module) for name, path in rules.items() for module, _ in imports(path) if module in rules}


def named(path):
    return ".".join(["np2jax", *path.relative_to(ROOT).with_suffix("").parts])


@pytest.mark.parametrize("part", PARTS)
def test_folders_import_what_stands_below_them(part):
    order = [f"np2jax.{part}.{folder.replace('/', '.')}" for folder in LAYERS[part].split()]
    folders = {named(path).rpartition(".")[0] for path in files(part) if path.name != "__init__.py"}
    assert folders == {*order}, "LAYERS lists the folders"
    wrong = {
        (named(path), module)
        for path in files(part)
        for module, _ in imports(path)
        if (here := owner(named(path), order)) and (there := owner(module, order)) and order.index(there) > order.index(here)
    }
    assert not wrong


def owner(module, folders):
    """The folder of LAYERS that a module lies in, or None."""
    return max((folder for folder in folders if f"{module}.".startswith(f"{folder}.")), key=len, default=None)


def test_modules_do_not_import_each_other():
    """No module imports what imports it, also inside of functions, but for the groups in CYCLES."""
    known = {named(path): path for part in PARTS for path in files(part)}
    below = {name: {module for module, _ in imports(path) if module in known} - {name} for name, path in known.items()}
    reached = {name: reachable(name, below) for name in known}
    cycles = {frozenset(other for other in reached[name] if name in reached[other]) for name in known if name in reached[name]}
    assert {frozenset(name.rpartition(".")[2] for name in cycle) for cycle in cycles} == {*CYCLES}


def reachable(start, below):
    """The modules that a module imports, directly or through others."""
    found, work = set(), [start]
    while work:
        new = below[work.pop()] - found
        found |= new
        work += new
    return found


def test_nothing_imports_the_project_by_its_absolute_name():
    absolute = {
        (part, path.name)
        for part in PARTS
        for path in files(part)
        if re.search(rb"import.*np2jax|from.*np2jax", path.read_bytes())  # parsing all files takes seconds
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.ImportFrom | ast.Import) and "np2jax" in ast.unparse(node)
    }
    assert not absolute


def test_every_module_says_what_it_is():
    silent = [str(path) for part in PARTS for path in files(part) if not re.match(rb'r?"""\s*[^\s"]', path.read_bytes())]
    assert not silent


def test_facts_stand_below_what_makes_and_what_reads_them():
    allowed = ("np2jax.rules.core", "np2jax.rules.facts")
    inside = {(path.name, module) for path in files("rules") if path.parent.name == "facts" for module, _ in imports(path)}
    assert inside
    assert not {(name, module) for name, module in inside if module.startswith("np2jax.") and not module.startswith(allowed)}


def test_each_subject_of_the_context_stays_small():
    """What rules ask: a class has at most 24 members; the context itself has the subjects besides."""
    members = {
        (path.name, node.name): len([n for n in node.body if isinstance(n, ast.FunctionDef | ast.AnnAssign)])
        for folder in (ROOT / "rules" / "context", ROOT / "migrate" / "context")
        for path in folder.glob("*.py")
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.ClassDef)
    }
    assert members
    assert not {name: count for name, count in members.items() if count > 24}
