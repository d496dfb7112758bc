"""Rewrite one file as its plans say: rules find, the engine edits, all in one pass."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import libcst as cst

from ...rules import numpy_table
from ...rules.context import Context
from ...rules.core.condition import Condition
from ...rules.core.diagnostic import Diagnostic
from ...rules.core.findings import Finding, Safety
from ...rules.core.registry import Check, Rule, all_rules
from ...rules.definitions.update_order import BEFORE_UPDATE
from ...rules.facts.function_plan import FunctionPlan
from ..analysis.state.project_facts import Facts
from ..context.file_names import FileNames
from ..context.unit_context import UnitContext
from ..summaries.units import Module
from ..syntax.edits import Edits, Make, apply, conflicts
from ..syntax.line_continuation import parenthesized
from ..syntax.locations import definition_lines, located, positions, written
from ..syntax.source import walk
from ..syntax.suppressions import is_suppressed, suppressed
from . import (
    conditions,
    guarded_functions,
    helper_functions,
    imports,
    original_columns,
    self_assignments,
    update_barriers,
)
from .refusal_sites import reported

FAILED = "NJ003"


class RuleError(Exception):
    """A rule failed: its code, and the exception in words."""

    def __init__(self, code: str, why: str) -> None:
        super().__init__(code, why)
        self.code, self.why = code, why

    def __str__(self) -> str:
        return f"{self.code}: {self.why}"


START = (1, 1, 1, 1)  # the place of a diagnostic about the whole file


class RewriteOptions(NamedTuple):
    """Which rules run, and how."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    unsafe: bool = False
    precision: str = "float64"
    entry_point: bool = False
    strict: bool = False  # let a failing rule raise: for tests
    taken: frozenset[str] = frozenset()  # names that other modules import from the file; "*" for all
    conditions: bool = True  # find the conditions of each function, for the report
    text: bool = True  # write the new file; otherwise there are only findings

    def runs(self, code: str) -> bool:
        if any(code.startswith(c) for c in self.ignore):
            return False
        return not self.select or any(code.startswith(c) for c in self.select)


@dataclass(slots=True)
class Rewritten:
    """The result for one file."""

    data: bytes | None  # the new file; None if nothing changes
    diagnostics: list[Diagnostic] = field(default_factory=list)
    refused: dict[str, tuple[str, str]] = field(default_factory=dict)  # units that cannot be rewritten after all
    unadapted: dict[str, tuple[str, str]] = field(default_factory=dict)  # units that NumPy code calls, and may not be adapted to
    codes: dict[str, set[str]] = field(default_factory=dict)  # unit -> codes of the rules applied
    lines: dict[str, int] = field(default_factory=dict)  # unit -> line
    moved: Mapping[str, str] = field(default_factory=dict)  # functions outlined from loops -> the units of these
    silenced: set[tuple[int, str]] = field(default_factory=set)  # lines and codes of edits that a comment prevents
    assumed: Mapping[str, tuple[Condition, ...]] = field(
        default_factory=dict
    )  # unit -> the conditions under which it equals NumPy
    called: Mapping[str, tuple[Condition, ...]] = field(default_factory=dict)  # unit -> its calls of converted functions


def rewrite(module: Module, facts: Facts, plans: Mapping[str, FunctionPlan], rewrite_options: RewriteOptions) -> Rewritten:
    """Rewrite one file. If a rule fails, the functions of the file are left as NumPy and this is reported: nothing else is
    lost."""
    if module.source.name not in facts.program.arrays:
        return Rewritten(None)
    failures: dict[str, Diagnostic] = {}  # by the rule
    while True:
        try:
            result = _rewrite(module, facts, plans, rewrite_options, failures)
            result.diagnostics += failures.values()
            return result
        except Exception as error:
            if rewrite_options.strict:
                raise
            words = str(error) if isinstance(error, RuleError) else f"{type(error).__name__}: {error}"
            why = f"np2jax failed on this file ({words}): please report it"
            if not all(plans[name].refused for name in module.units):
                return Rewritten(None, refused={name: (FAILED, why) for name in module.units if not plans[name].refused})
            failure = Diagnostic(module.source.path, *START, FAILED, why, Safety.MANUAL.value, False)
            if not isinstance(error, RuleError):
                return Rewritten(None, [failure])
            failures[error.code] = failure  # the other rules say what they find


def _rewrite(
    module: Module,
    facts: Facts,
    plans: Mapping[str, FunctionPlan],
    rewrite_options: RewriteOptions,
    without: Collection[str] = (),
) -> Rewritten:
    """`without`: the codes of the rules that are left out."""
    result = Rewritten(None)
    names = FileNames(module)
    checks = by_type(rule for rule in all_rules().values() if rule.code not in without)
    hushed = suppressed(module.source.text)
    edits, needed, helpers, fixed = Edits(), set[str](), set[str](), set[int]()
    found: list[tuple[Rule, Finding, UnitContext]] = []
    assumed: list[conditions.Found] = []
    for unit in module.units.values():
        context = UnitContext(
            module, unit, module.runs[unit.name], facts, plans[unit.name], names, rewrite_options.precision, edits
        )
        for rule, made in find(module.nodes[unit.name], context, checks):
            finding = made._replace(message=numpy_table.with_public_names(made.message))
            found.append((rule, finding, context))
            if finding.refuses:
                result.refused.setdefault(finding.refuses, (rule.code, finding.message))
            elif finding.blocks and not context.plan.refused:
                result.refused.setdefault(unit.name, (rule.code, finding.message))
        if rewrite_options.conditions:  # the rules have named what they insert
            assumed += conditions.found_in(module.nodes[unit.name], context)
    refused = list(reported(module, plans))
    if not found and not refused and not rewrite_options.entry_point:
        lines = definition_lines(module.source)
        result.lines = {u.name: 1 if u.is_module else lines[u.node] for u in module.units.values()}
        result.assumed, result.called = conditions.placed(assumed, positions(module.source, {each.node for each in assumed}))
        return _as_in_the_file(result, module) if module.lines else result
    asked = {f.node for _r, f, _c in found} | {u.node for u in module.units.values()} | {n for _u, n, _c, _w in refused}
    original = located(module.source, asked | {each.node for each in assumed})
    where = original.positions
    result.assumed, result.called = conditions.placed(assumed, where)
    result.lines = {u.name: where[u.node][0] for u in module.units.values() if u.node in where}
    required = []
    for position, (rule, finding, context) in enumerate(found):
        if context.plan.refused and not rule.for_numpy_code:
            continue
        line = where[finding.node][0]
        if silenced := is_suppressed(hushed, line, rule.code):
            result.silenced.add((line, rule.code))
        why = unwanted(rule, finding, rewrite_options, line, silenced)
        excluded = silenced or not rewrite_options.runs(rule.code)
        changes = bool(finding.edits) or (excluded and bool(finding.before or finding.after))
        needed_for_result = changes and (not rule.optional or (excluded and of_loops(rule)))
        if not why:
            required.append(position)
        elif needed_for_result and not context.plan.refused:
            result.refused.setdefault(context.analysed.unit.name, (rule.code, why))
        elif needed_for_result and excluded:
            blamed = converted(finding.node, context) or called(module.nodes[context.analysed.unit.name], context)
            for name in blamed:
                result.unadapted.setdefault(name, (rule.code, why))
            if not blamed:
                required.append(position)
    early: list[tuple[cst.CSTNode, Make]] = []
    required.sort(key=lambda p: found[p][1].wraps)

    def met() -> set[int]:
        return conflicts([(p, node) for p in required if not found[p][1].wraps for node in found[p][1].edits])

    meeting = met()
    required = [p for p in required if p not in meeting or not found[p][0].faster]
    clashing = met()
    for position in required:
        rule, finding, context = found[position]
        if position in clashing:
            for name in converted(finding.node, context) if context.plan.refused else (context.analysed.unit.name,):
                result.refused.setdefault(name, (rule.code, f"two changes conflict: {finding.message}"))
            continue
        if not (finding.edits or finding.before or finding.after):
            continue
        fixed.add(position)
        needed |= finding.imports
        helpers |= finding.definitions
        result.codes.setdefault(context.analysed.unit.name, set()).add(rule.code)
        for node, edit in finding.edits.items():
            edits.by_node.setdefault(node, []).append(edit)
        statement = context.flow.statement(finding.node)
        if finding.before is not None and finding.early:
            early.append((statement, finding.before))
        elif finding.before is not None:
            edits.before.setdefault(statement, []).insert(0, finding.before)  # an inner call runs first
        if finding.after is not None:
            edits.after.setdefault(statement, []).append(finding.after)
    for statement, make in reversed(early):
        edits.before.setdefault(statement, []).insert(0, make)
    for position, (rule, finding, context) in enumerate(found):
        result.diagnostics.append(diagnostic(module, rule, finding, context, position in fixed, where))
    for unit, node, code, why in refused:
        function = "" if unit.is_module else unit.name
        result.diagnostics.append(
            Diagnostic(module.source.path, *place(where, node), code, why, Safety.MANUAL.value, False, function)
        )
    if not rewrite_options.text:
        return _as_in_the_file(result, module) if module.lines else result
    changed = guarded_functions.without_assertions(apply(module.source.module, module.source.parents, edits), module)
    changed = self_assignments.left_out(parenthesized(changed, module.source.parents), module.source.parents)
    ordered = update_barriers.inserted(changed, module.source.parents, lambda: names.defined(BEFORE_UPDATE))
    if ordered is not changed:
        changed = ordered
        helpers.add(BEFORE_UPDATE)
        needed |= {line for _alias, line in (names.aliases[name] for name in ("jax", "jax.numpy")) if line}
    changed = helper_functions.insert(changed, helpers, names)
    changed = imports.finalize(module, changed, needed, rewrite_options, lambda name: name.partition(".")[0] in facts.packages)
    text = module.source.text if changed is module.source.module else written(changed, original)
    if text != module.source.text:
        compile(text.lstrip("\ufeff"), module.source.path, "exec", dont_inherit=True)  # the output parses, or nothing is written
        result.data = text.encode(module.source.module.encoding)
    return _as_in_the_file(result, module) if module.lines else result


def converted(node: cst.CSTNode, context: UnitContext) -> list[str]:
    """The converted functions that a statement of refused code calls: their calls would have to change."""
    return called((n for n, _parent in walk(context.flow.statement(node))), context)


def called(nodes: Iterable[cst.CSTNode], context: UnitContext) -> list[str]:
    """The converted functions that are called by some of the nodes."""
    plans = [context.calls.callee(n) for n in nodes if isinstance(n, cst.Call)]
    return [plan.name for plan in plans if plan is not None and not plan.refused]


def _as_in_the_file(result: Rewritten, module: Module) -> Rewritten:
    """The result with the lines and functions of the original file, if loops were moved before the conversion."""
    lines, owners = (0, *module.lines), module.derived.owners
    result.lines = {name: lines[line] for name, line in result.lines.items()}
    columns = original_columns.of(module.source.text, module.written, module.lines)
    result.diagnostics = [columns(d)._replace(function=owners.get(d.function, d.function)) for d in result.diagnostics]
    result.silenced = {(lines[line], code) for line, code in result.silenced}
    result.assumed, result.called = (conditions.moved(made, columns, owners) for made in (result.assumed, result.called))
    for function, owner in owners.items():
        result.codes.setdefault(owner, set()).update(result.codes.pop(function, ()))
    result.moved = owners
    return result


def unwanted(rule: Rule, finding: Finding, rewrite_options: RewriteOptions, line: int, silenced: bool) -> str:
    """Why the edits of a finding are not applied; "" if they are."""
    if silenced:
        return f"{rule.code} is ignored on line {line}"
    if not rewrite_options.runs(rule.code):
        return f"{rule.code} is not selected"
    safety = finding.safety or rule.safety
    if safety is Safety.UNSAFE and not rewrite_options.unsafe:
        return f"{finding.message}: this is changed with --unsafe only"
    return "" if safety is not Safety.MANUAL else finding.message


def of_loops(rule: Rule) -> bool:
    """Whether it writes a loop that has a plan: the other rules leave the body of such a loop to it."""
    return rule.module.split(".")[-2] in ("loops", "parallel")


def find(nodes: list[cst.CSTNode], context: Context, checks: tuple[Checks, Checks]) -> Iterator[tuple[Rule, Finding]]:
    """The findings of all rules on the nodes of one unit."""
    every, of_others = checks
    for node in [n for n in nodes if type(n) in every]:
        kind = type(node)
        is_name = kind is cst.Name or kind is cst.Attribute
        of_numpy = not is_name or (context.qualname(node) or "").partition(".")[0] == "numpy"
        for rule, check in (every if of_numpy else of_others)[kind]:
            try:
                yield from ((rule, finding) for finding in check(node, context))
            except Exception as error:
                raise RuleError(rule.code, f"{type(error).__name__}: {error}") from error


Checks = Mapping[type, list[tuple[Rule, Check]]]


def by_type(rules: Iterable[Rule]) -> tuple[Checks, Checks]:
    """The checks of all rules by node type, and those of the rules that also apply to code without NumPy values."""
    every: dict[type, list[tuple[Rule, Check]]] = defaultdict(list)
    of_others: dict[type, list[tuple[Rule, Check]]] = defaultdict(list)
    for rule in rules:
        for node_type, functions in rule.checks.items():
            every[node_type] += [(rule, f) for f in functions]
            of_others[node_type] += [(rule, f) for f in functions if f not in rule.of_numpy]
    return every, of_others


def diagnostic(
    module: Module,
    rule: Rule,
    finding: Finding,
    context: UnitContext,
    fixed: bool,
    where: Mapping[cst.CSTNode, tuple[int, int, int, int]],
) -> Diagnostic:
    safety = finding.safety or rule.safety
    if not fixed and not (finding.edits or finding.before or finding.after):
        safety = Safety.MANUAL
    function = context.analysed.unit.name if not context.analysed.unit.is_module else ""
    return Diagnostic(module.source.path, *place(where, finding.node), rule.code, finding.message, safety.value, fixed, function)


def place(where: Mapping[cst.CSTNode, tuple[int, int, int, int]], node: cst.CSTNode) -> tuple[int, int, int, int]:
    """The place of a node for a diagnostic: columns count from 1, in LibCST from 0. The start of the file if it has none."""
    if node not in where:
        return START
    line, column, end_line, end_column = where[node]
    return line, column + 1, end_line, end_column + 1
