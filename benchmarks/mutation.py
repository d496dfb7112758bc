"""Mutation testing: defects are planted in a module, one at a time, and the tests run until one of them fails.

    python benchmarks/mutation.py migrate/analysis/symbolic/affine.py --tests tests/migrate/analysis/test_affine.py --mutants 10 --seed 1

It prints each mutant, whether a test caught it, and the score. The tests are collected once. Each mutant is a fork of that
process in which the code of one function is replaced, so nothing is imported again and all references see the defect. `--only
3,7` repeats some of the mutants; `-m slow` selects other tests.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import inspect
import io
import os
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import libcst as cst
import pytest
from libcst.metadata import MetadataWrapper, ParentNodeProvider, PositionProvider

ROOT = Path(__file__).resolve().parents[1]
OPPOSITE: dict[type[cst.CSTNode], type[cst.CSTNode]] = {
    cst.Equal: cst.NotEqual,
    cst.NotEqual: cst.Equal,
    cst.LessThan: cst.LessThanEqual,
    cst.LessThanEqual: cst.LessThan,
    cst.GreaterThan: cst.GreaterThanEqual,
    cst.GreaterThanEqual: cst.GreaterThan,
    cst.In: cst.NotIn,
    cst.NotIn: cst.In,
    cst.Is: cst.IsNot,
    cst.IsNot: cst.Is,
    cst.And: cst.Or,
    cst.Or: cst.And,
    cst.Add: cst.Subtract,
    cst.Subtract: cst.Add,
    cst.Break: cst.Continue,
    cst.Continue: cst.Break,
}


@dataclass(frozen=True, slots=True)
class Mutant:
    line: int
    what: str
    node: cst.CSTNode
    replacement: cst.CSTNode | None  # None: the rule is disabled


def mutations(node: cst.CSTNode) -> Iterator[tuple[str, cst.CSTNode]]:
    """The possible replacements of a node."""
    if (opposite := OPPOSITE.get(type(node))) is not None:
        yield f"{type(node).__name__} becomes {opposite.__name__}", opposite()
    match node:
        case cst.Integer():
            yield f"{node.value} becomes {node.evaluated_value + 1}", cst.Integer(str(node.evaluated_value + 1))
        case cst.If() | cst.While() | cst.IfExp():
            yield "the condition is negated", node.with_changes(test=negated(node.test))
            if isinstance(node, cst.If):
                yield "the branch does nothing", node.with_changes(body=cst.SimpleStatementSuite([cst.Pass()]))
        case cst.UnaryOperation(operator=cst.Not()):
            yield "`not` is dropped", cst.Call(cst.Name("bool"), [cst.Arg(node.expression)])
        case cst.Return(value=cst.BaseExpression() as value) if not isinstance(value, cst.Name) or value.value != "None":
            other = {"True": "False", "False": "True"}.get(getattr(value, "value", ""), "None")
            yield f"`return {other}`", node.with_changes(value=cst.Name(other), whitespace_after_return=cst.SimpleWhitespace(" "))


def negated(test: cst.BaseExpression) -> cst.BaseExpression:
    return cst.UnaryOperation(cst.Not(), test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()]))


def mutants_of(path: Path) -> tuple[cst.Module, list[Mutant]]:
    """All mutants inside functions: module-level code has already run when mutants are planted."""
    wrapper = MetadataWrapper(cst.parse_module(path.read_text()))
    positions, parents = wrapper.resolve(PositionProvider), wrapper.resolve(ParentNodeProvider)
    found = []

    def visit(node: cst.CSTNode, inside: bool) -> None:
        if isinstance(node, (cst.Annotation, cst.Decorator, cst.Parameters)):
            return
        if inside:
            line = positions[node if type(node) not in OPPOSITE else parents[node]].start.line
            found.extend(Mutant(line, what, node, replacement) for what, replacement in mutations(node))
        for child in node.children:
            visit(child, inside or isinstance(node, cst.FunctionDef))

    visit(wrapper.module, False)
    if "rule = Rule(" in path.read_text():
        found.append(Mutant(1, "the rule is switched off", wrapper.module, None))
    return wrapper.module, found


def plant(module: ModuleType, tree: cst.Module, mutant: Mutant) -> None:
    """Replace the code of the functions of an imported module by the mutant's."""
    if mutant.replacement is None:
        for checks in module.rule.checks.values():
            for check in checks:
                inspect.unwrap(check).__code__ = nothing.__code__
        return
    source = tree.deep_replace(mutant.node, mutant.replacement).code
    codes = dict(named_codes(compile(source, str(module.__file__), "exec")))
    for function in functions_of(module):
        if (code := codes.get(function.__qualname__)) is not None and code.co_freevars == function.__code__.co_freevars:
            function.__code__ = code


def nothing(*_arguments: Any, **_keywords: Any) -> Iterator[Any]:
    return
    yield


def named_codes(code: CodeType) -> Iterator[tuple[str, CodeType]]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant.co_qualname, constant
            yield from named_codes(constant)


def functions_of(owner: Any) -> Iterator[FunctionType]:
    """The functions of a module and of its classes, unwrapped."""
    for value in list(vars(owner).values()):
        for function in (value, *(getattr(value, name, None) for name in ("__func__", "fget", "func"))):
            function = inspect.unwrap(function) if callable(function) else None
            if isinstance(function, FunctionType):
                yield function
        if isinstance(value, type) and value.__module__ == getattr(owner, "__name__", owner):
            yield from functions_of(value)


def in_a_fork(action: Callable[[], int], limit: float) -> int | None:
    """The exit status of an action in a child process, None if it exceeds the time limit."""
    sys.stdout.flush()
    if (child := os.fork()) == 0:
        os.setsid()
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        try:
            status = action()
        except BaseException:  # a planted defect may do anything
            status = 1
        os._exit(status)
    until = time.monotonic() + limit
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.05)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("module", help="its path, such as rules/loops/trajectory.py")
    parser.add_argument("--tests", nargs="+", required=True, help="files or folders, as for pytest")
    parser.add_argument("--mutants", type=int, default=10, help="how many, drawn from all that are possible")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", help="the numbers of the mutants to take, separated by commas")
    parser.add_argument("-m", dest="marker", default="not slow", help="as for pytest")
    given = parser.parse_args()

    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT.parent))  # the folder of the clone is called np2jax
    tests = [*given.tests, "-q", "-x", "-m", given.marker, "-p", "no:cacheprovider"]
    with contextlib.redirect_stdout(io.StringIO()) as listed:
        status = pytest.main([*tests, "--collect-only"])  # imports the tests and the code
    if status != 0:
        parser.error(f"no tests are collected:\n{listed.getvalue()}")
    started = time.monotonic()
    if in_a_fork(lambda: pytest.main(tests), 3600) != 0:
        parser.error("the tests fail without a mutant")
    limit = 30 + 3 * (time.monotonic() - started)

    path = Path(given.module)
    module = importlib.import_module(".".join(("np2jax", *path.with_suffix("").parts)))
    tree, possible = mutants_of(path)
    off = [mutant for mutant in possible if mutant.replacement is None]
    others = [mutant for mutant in possible if mutant.replacement is not None]
    drawn = off + random.Random(given.seed).sample(others, min(given.mutants - len(off), len(others)))
    chosen = {int(number) for number in given.only.split(",")} if given.only else set(range(len(drawn)))
    caught = 0
    for number, mutant in enumerate(drawn):
        if number not in chosen:
            continue

        def planted(mutant: Mutant = mutant) -> int:
            plant(module, tree, mutant)
            return int(pytest.main(tests))

        status = in_a_fork(planted, limit)
        caught += status != 0
        outcome = "survives" if status == 0 else "no end in time" if status is None else "caught"
        print(f"{number:3} {path}:{mutant.line}: {mutant.what}: {outcome}", flush=True)
    print(f"{path}: {caught} of {len(chosen)} mutants caught ({caught / len(chosen):.0%}), of {len(possible)} possible")


if __name__ == "__main__":
    main()
