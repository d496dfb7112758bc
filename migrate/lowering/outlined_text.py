"""The text of a file with loops or statements moved into functions, line by line: the original position of each line is known."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from typing import NamedTuple

import libcst as cst

from ..summaries.units import Module, Unit
from ..syntax.locations import Position, positions
from ..syntax.names import fresh
from ..syntax.source import Source
from .revision import Versions


class Moved(NamedTuple):
    """A loop, or a run of statements, moved into a function: its file and number (`region`), the function, and the unit that it came
    from.

    `varying`: the parameters whose arguments differ between the iterations of an enclosing loop; `gain`: see `Region`; `lines`: how many
    lines of the file it has; `guard`: the conditions that are tested before the function is called; `supposed`: those of them that the
    analysis supposes in the first place.
    """

    region: tuple[str, int]
    function: str
    owner: str
    varying: frozenset[str]
    gain: float
    lines: int = 0
    guard: tuple[str, ...] = ()
    supposed: tuple[str, ...] = ()


class Guarded(NamedTuple):
    """The test before a call of a moved region, "" where the statements around test it. `conditions`: the same in terms of the parameters; `otherwise`: what has to be done if
    it does not hold, None for the region as it was."""

    test: str
    conditions: tuple[str, ...]
    otherwise: tuple[cst.CSTNode, ...] | None


class Outlined(NamedTuple):
    """A file with regions moved: for each line of it the line of the original, and what was moved."""

    source: Source
    lines: tuple[int, ...]
    moved: tuple[Moved, ...]


@dataclass(slots=True)
class Region:
    """The statements that move, from `first` to `last`. `name`: how the function is called, as far as that name is free; `params`: its
    parameters, with the arguments of the call; `results` likewise; `varying`: what enclosing loops bind; `swaps`: attributes that
    are variables in the function; `returns`: the last statement is a `return`; `gain`: how much longer NumPy takes on small arrays, as
    estimated; `guard`: what is tested before the call; `lists`: the results that are lists, with the function of NumPy that makes
    arrays of them; `arrays`: the annotations of the
    parameters that are arrays where it holds."""

    unit: Unit
    owner: cst.FunctionDef | cst.Module
    first: cst.CSTNode
    last: cst.CSTNode
    number: tuple[str, int]
    name: str
    varying: frozenset[str]
    params: dict[str, str] = field(default_factory=dict)
    results: dict[str, str] = field(default_factory=dict)
    swaps: dict[cst.CSTNode, str] = field(default_factory=dict)
    returns: bool = False
    gain: float = math.inf
    guard: Guarded | None = None
    arrays: dict[str, str] = field(default_factory=dict)
    lists: dict[str, str] = field(default_factory=dict)
    supposed: tuple[str, ...] = ()


def written(module: Module, versions: Versions, regions: Sequence[Region]) -> Outlined | None:
    """The file with the regions moved."""
    source = module.source
    asked: set[cst.CSTNode] = set()
    for region in regions:
        asked |= {
            region.first,
            region.last,
            *region.swaps,
            source.topmost(region.first),
            *_decorators(source.topmost(region.first)),
            *((region.guard and region.guard.otherwise) or ()),
        }
    where = positions(source, asked)
    old = StringIO(source.text, newline="\n").readlines()
    taken = {n.value for n in source.nodes if type(n) is cst.Name}
    newline = module.source.module.default_newline
    indent = module.source.module.default_indent
    replaced: dict[int, tuple[int, list[tuple[str, int]]]] = {}  # first line -> last line, and the lines in their place
    above: dict[int, list[tuple[str, int]]] = {}  # line -> lines to insert above it, with their line numbers
    moved: list[Moved] = []
    for region in regions:
        start, end = where[region.first][0], where[region.last][2]
        if where[region.last][3] == 0:
            end -= 1
        lines = _body(old, start, end, region, where, source)
        if lines is None:
            continue
        name = fresh(region.name, taken)
        margin = old[start - 1][: where[region.first][1]]
        results = ", ".join(region.results.values())
        call = f"{name}({', '.join(region.params.values())})"
        assigned = "return " if region.returns else f"{results} = " if results else ""
        calling = [(f"{margin}{assigned}{call}{newline}", start)]
        if region.guard is not None and region.guard.test:
            parts = region.guard.otherwise
            spans = [(start, end)] if parts is None else [(where[part][0], where[part][2]) for part in parts]
            kept = [line for span in spans for line in _indented(old, *span, "" if region.returns else indent)]
            otherwise = [(f"{margin}else:{newline}", start)] if kept and not region.returns else []
            calling = [(f"{margin}if {region.guard.test}:{newline}", start), (f"{indent}{calling[0][0]}", start)]
            calling += [*otherwise, *kept]
        replaced[start] = end, calling
        params = ", ".join(_annotated(source, module, region, p) for p in region.params)
        made = [(f"def {name}({params}):{newline}", start)]
        for number, line in enumerate(lines, start):
            rest = line[len(margin) :] if line.strip() else line
            made.append((f"{indent}{rest}" if line.strip() else line, number))
        if region.results:
            returned = (f"{region.lists[name]}({name})" if name in region.lists else name for name in region.results)
            made.append((f"{indent}return {', '.join(returned)}{newline}", end))
        made += [(newline, start)] * 2
        place = _first_line(source, region.first, where)
        if isinstance(region.owner, cst.Module):
            made = [(newline, start)] * _missing_blank_lines(old, place) + made
        above.setdefault(place, []).extend(made)
        varying = region.varying & region.params.keys()
        guard = () if region.guard is None else region.guard.conditions
        full = f"{source.name}.{name}"
        moved.append(Moved(region.number, full, region.unit.name, varying, region.gain, len(lines), guard, region.supposed))
    if not moved:
        return None
    changed = set[cst.CSTNode]().union(*(_statements(source, region) for region in regions))
    origins = list(range(1, len(source.module.header) + 1))
    texts: dict[cst.CSTNode, str] = {}
    done = 0  # lines that are replaced with those of an earlier statement
    for statement, at in versions.starts(source).items():
        after = at + versions.text(source, statement).count("\n")
        if statement not in changed:
            origins += range(at, after)
            continue
        text = list[tuple[str, int]]()
        at = max(at, done)
        while at < after:
            text += above.get(at, ())
            last, made = replaced.get(at, (at, [(old[at - 1], at)]))
            text += made
            at = done = last + 1
        texts[statement] = "".join(line for line, _at in text)
        origins += (number for _line, number in text)
    origins += range(len(old) + 1 - len(source.module.footer), len(old) + 1)
    return Outlined(versions.revised(source, texts), tuple(origins), tuple(moved))


def region_number(source: Source, first: cst.CSTNode, last: cst.CSTNode) -> tuple[str, int]:
    """What tells a run of statements from all others: the file, and the places of its first and last statement."""
    return source.name, source.spans[first][0] << 32 | source.spans[last][1]


def named(owner: cst.FunctionDef | cst.Module, what: str) -> str:
    """The name of a function for a part of another one, or of a script."""
    name = owner.name.value.strip("_") or "unnamed" if isinstance(owner, cst.FunctionDef) else "script"
    return f"_{name}_{what}"


def _body(
    old: Sequence[str], start: int, end: int, region: Region, where: Mapping[cst.CSTNode, Position], source: Source
) -> list[str] | None:
    """The lines of a region, with variables instead of attributes; None if the text cannot be moved line by line."""
    margin = old[start - 1][: where[region.first][1]]
    if margin.strip() or any(line.strip() and not line.startswith(margin) for line in old[start - 1 : end]):
        return None
    lines = list(old[start - 1 : end])
    strings = [n for s in statements_of(source, region) for n in source.among(s, cst.SimpleString, cst.FormattedString)]
    if any("\n" in source.module.code_for_node(node) for node in strings):
        return None
    for node, name in sorted(region.swaps.items(), key=lambda pair: where[pair[0]], reverse=True):
        line, column, last, stop = where[node]
        if line != last:
            return None
        lines[line - start] = f"{lines[line - start][:column]}{name}{lines[line - start][stop:]}"
    return lines if lines[-1].endswith(("\n", "\r")) else None


def statements_of(source: Source, region: Region) -> Sequence[cst.CSTNode]:
    """The statements of a region, in their order."""
    block = source.parents[region.first]
    assert isinstance(block, (cst.BaseSuite, cst.Module))
    lines: Sequence[cst.CSTNode] = block.body
    return lines[lines.index(region.first) : lines.index(region.last) + 1]


def _indented(old: Sequence[str], first: int, last: int, indent: str) -> list[tuple[str, int]]:
    """Lines one level deeper, with their numbers."""
    return [(f"{indent}{line}" if line.strip() else line, n) for n, line in enumerate(old[first - 1 : last], first)]


def _annotated(source: Source, module: Module, region: Region, name: str) -> str:
    """A parameter, with the annotation of the same parameter of the original function, or that of an array."""
    if name in region.arrays:
        return f"{name}: {region.arrays[name]}"
    if isinstance(region.owner, cst.Module):
        return name
    params = region.owner.params
    bound = module.scopes.opened_by(region.owner).names.get(name, [])
    outside = [b for b in bound if not source.inside(b, region.last)]
    for param in (*params.posonly_params, *params.params, *params.kwonly_params):
        if param.name.value == name and region.params[name] == name and param.annotation is not None and outside == [param]:
            return f"{name}: {source.module.code_for_node(param.annotation.annotation)}"
    return name


def _decorators(node: cst.CSTNode) -> Sequence[cst.CSTNode]:
    return node.decorators if isinstance(node, (cst.FunctionDef, cst.ClassDef)) else ()


def _first_line(source: Source, node: cst.CSTNode, where: Mapping[cst.CSTNode, Position]) -> int:
    """The line above which a function can be inserted: that of the enclosing module-level statement, with the comments right
    above it."""
    top = source.topmost(node)
    line = min(where[n][0] for n in (top, *_decorators(top)))
    for leading in reversed(getattr(top, "leading_lines", ())):
        if leading.comment is None:
            break
        line -= 1
    return line


def _statements(source: Source, region: Region) -> Sequence[cst.CSTNode]:
    """The statements of the module that contain a region."""
    body = source.module.body
    return body[body.index(source.topmost(region.first)) : body.index(source.topmost(region.last)) + 1]


def _missing_blank_lines(old: Sequence[str], line: int) -> int:
    """How many blank lines are missing above a line, at which a function is inserted between statements of a module."""
    found = 0
    while found < min(2, line - 1) and not old[line - 2 - found].strip():
        found += 1
    return 2 - found


__all__ = ["Moved", "Outlined", "Region", "named", "region_number", "written"]
