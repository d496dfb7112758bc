"""The examples in docstrings, which doctest runs with the imports of the module."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

PROMPT = re.compile(r"^[ \t]*(>>>|\.\.\.)(?: (.*))?$", re.MULTILINE)
WORD = re.compile(r"\b[^\W\d]\w*")


def examples(docstring: str) -> list[str]:
    """The code of each example, without the prompts."""
    found: list[str] = []
    for prompt, line in PROMPT.findall(docstring):
        if prompt == ">>>":
            found.append(line)
        elif found:
            found[-1] += f"\n{line}"
    return found


def names(docstring: str) -> set[str]:
    """The names that examples use without importing them."""
    code = examples(docstring)
    imports = [line for line in code if line.startswith(("import ", "from "))]
    return {*WORD.findall("\n".join(code))} - {*WORD.findall("\n".join(imports))}


def list_arguments(docstring: str, function: str, params: Sequence[str], method: bool) -> frozenset[str]:
    """The parameters for which examples pass a list or tuple display. A method is called without its first parameter."""
    found: set[str] = set()
    for call in _calls(docstring, function):
        names = params[1:] if method and isinstance(call.func, ast.Attribute) else params
        given = [*zip(names, call.args, strict=False), *((keyword.arg, keyword.value) for keyword in call.keywords)]
        found |= {name for name, value in given if name and isinstance(value, (ast.List, ast.Tuple))}
    return frozenset(found & {*params})


def _calls(docstring: str, function: str) -> Iterator[ast.Call]:
    """The calls of a function in the examples."""
    for code in examples(docstring):
        if f"{function}(" not in code:
            continue
        try:
            tree = ast.parse(code)
        except SyntaxError:
            continue  # an example may demonstrate an error
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _name(node.func) == function:
                yield node


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
