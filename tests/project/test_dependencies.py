"""The one-way imports: rules know libcst only, migrate knows rules, the shim knows neither, only the command line loads it."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PARTS = ("migrate", "rules", "runtime_shim")
CLI = ROOT / "migrate" / "commands" / "cli.py"
ALLOWED = {  # top-level packages besides Python's own
    "migrate": {"click", "libcst", "rich"},
    "rules": {"libcst"},
    "runtime_shim": {"hypothesis", "jax", "ml_dtypes", "numpy"},  # ml_dtypes comes with jax
}
MAY_LOAD = {"migrate": {"rules"}, "rules": set(), "runtime_shim": set()}


def imports(path):
    """The modules that a file imports, absolute, such as "np2jax.rules.core.findings" and "libcst", with the nodes."""
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
        if module.startswith(tuple(f"np2jax.{other}" for other in others)) and path != CLI
    }
    assert not wrong


def test_the_command_line_loads_the_shim_inside_functions_only():
    tree = ast.parse(CLI.read_bytes())
    checking = {id(inner) for node in tree.body if isinstance(node, ast.If) for inner in ast.walk(node)}
    outside = {id(node) for node in tree.body} - checking
    loads = [(module, node) for module, node in imports(CLI) if "runtime_shim" in module]
    assert loads
    assert not [module for module, node in loads if id(node) in outside]


def test_rules_do_not_import_each_other():
    """A rule is a module of `rules` that makes a Rule; what rules share lies in the other modules."""
    rules = {named(path): path for path in files("rules") if "= Rule(" in path.read_text()}
    assert not {(name, module) for name, path in rules.items() for module, _ in imports(path) if module in rules}


def named(path):
    return ".".join(["np2jax", *path.relative_to(ROOT).with_suffix("").parts])


@pytest.mark.parametrize("part", PARTS)
def test_folders_import_in_one_direction(part):
    """The folders of a part are layers: none imports, directly or through others, what imports it."""
    folders = {".".join(["np2jax", *path.relative_to(ROOT).parts[:-1]]): path.parent for path in files(part)}
    below = {
        name: {
            other
            for path in folder.glob("*.py")
            for module, _ in imports(path)
            if (other := module if module in folders else module.rpartition(".")[0]) in folders and other != name
        }
        for name, folder in folders.items()
    }
    while lowest := {name for name, others in below.items() if not others - {f"np2jax.{part}"}}:
        below = {name: others - lowest for name, others in below.items() if name not in lowest}
    assert not below


def test_nothing_imports_the_project_by_its_absolute_name():
    absolute = {
        (part, path.name)
        for part in PARTS
        for path in files(part)
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.ImportFrom | ast.Import) and "np2jax" in ast.unparse(node)
    }
    assert not absolute


def test_every_module_says_what_it_is():
    silent = [str(path) for part in PARTS for path in files(part) if not ast.get_docstring(ast.parse(path.read_bytes()))]
    assert not silent
