"""New versions of the text of a file: only changed statements of the module are parsed, and each text of one only once. Methods that
did not change keep their nodes, too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

import libcst as cst

from ..summaries.unit_discovery import walk_definitions
from ..syntax.edits import Edits, apply
from ..syntax.line_continuation import parenthesized
from ..syntax.source import Source, deep, parse_fragment, walk, with_module
from .known_methods import Methods, with_known

Statement = cst.SimpleStatementLine | cst.BaseCompoundStatement


@dataclass(slots=True)
class Versions:
    """The statements of one file in all its versions. A version that recurs gets the same nodes again, so that facts about them
    stay valid. `methods`: those of each class in all versions of it; no two statements of one version share them. `parses`: how often
    each definition was parsed."""

    texts: dict[cst.CSTNode, str] = field(default_factory=dict)
    parsed: dict[tuple[cst.CSTNode, str], Sequence[Statement]] = field(default_factory=dict)
    methods: dict[cst.CSTNode, Methods] = field(default_factory=dict)
    parses: Counter[str] = field(default_factory=Counter)

    def text(self, source: Source, node: cst.CSTNode) -> str:
        """The text of a statement of the module, with the comments above it."""
        found = self.texts.get(node)
        if found is None:
            found = self.texts[node] = deep(source.module.code_for_node, node)
        return found

    def revised(self, source: Source, written: Mapping[cst.CSTNode, str]) -> Source:
        """The file with new texts for some statements; the others keep their nodes."""
        before = source.module
        body = [
            made
            for statement in before.body
            for made in (self._parsed(source, statement, written[statement]) if statement in written else (statement,))
        ]
        margins = [[deep(before.code_for_node, line) for line in lines] for lines in (before.header, before.footer)]
        texts = (written[s] if s in written else self.text(source, s) for s in before.body)
        text = "".join(chain(margins[0], texts, margins[1]))
        if not before.has_trailing_newline:
            text = text.removesuffix("\n").removesuffix("\r")
        return replace(with_module(source, before.with_changes(body=body)), text=text)

    def edited(self, source: Source, edits: Edits) -> Source:
        """The file with edits applied to nodes below the level of the module."""
        return self.traced(source, edits)[0]

    def traced(self, source: Source, edits: Edits) -> tuple[Source, dict[cst.CSTNode, cst.CSTNode]]:
        """The same, and the node of `source` that each node of a changed statement was before, where no edit replaced it."""
        made = parenthesized(apply(source.module, source.parents, edits), source.parents)
        changed = {old: new for old, new in zip(source.module.body, made.body, strict=True) if new is not old}
        after = self.revised(source, {old: deep(made.code_for_node, new) for old, new in changed.items()})
        origins = dict[cst.CSTNode, cst.CSTNode]()
        for old, parsed in zip(source.module.body, after.module.body, strict=True):
            if old in changed:
                nodes = ((new, edits.copies.get(node, node)) for node, new in _parsed_again(changed[old], parsed))
                origins.update((new, node) for new, node in nodes if node in source.parents)
        return after, origins

    def expanded(self, source: Source, parts: Mapping[cst.CSTNode, Sequence[cst.CSTNode]]) -> tuple[Source, tuple[int, ...]]:
        """The file with one statement or several in place of some statements of the module, and for each line of it the line of the
        previous version that it came from."""
        texts: dict[cst.CSTNode, str] = {}
        lines = list(range(1, len(source.module.header) + 1))
        at = len(lines)
        for statement in source.module.body:
            text = self.text(source, statement)
            written = [deep(source.module.code_for_node, part) for part in parts.get(statement, ())]
            if written:
                texts[statement] = "".join(written)
            size = text.count("\n")
            lines += [at + k for part in written for k in aligned(text, part)] if written else range(at + 1, at + size + 1)
            at += size
        lines += range(at + 1, at + len(source.module.footer) + 2)
        return self.revised(source, texts), tuple(lines)

    def lines(self, before: Source, after: Source) -> tuple[int, ...]:
        """For each line of a file with the same number of statements, the line of the previous version that it came from."""
        found = list(range(1, len(before.module.header) + 1))
        at = len(found)
        for old, new in zip(before.module.body, after.module.body, strict=True):
            text = self.text(before, old)
            size = text.count("\n")
            found += [at + k for k in (range(1, size + 1) if new is old else aligned(text, self.text(after, new)))]
            at += size
        found += range(at + 1, at + len(before.module.footer) + 1)
        return tuple(found)

    def starts(self, source: Source) -> dict[cst.CSTNode, int]:
        """The first line of each statement of the module, including the comments above it."""
        found, line = dict[cst.CSTNode, int](), len(source.module.header) + 1
        for statement in source.module.body:
            found[statement] = line
            line += self.text(source, statement).count("\n")
        return found

    def _parsed(self, source: Source, statement: cst.CSTNode, text: str) -> Sequence[Statement]:
        if text == self.text(source, statement) and isinstance(statement, Statement):
            return (statement,)
        made = self.parsed.get((statement, text))
        if made is None:
            made = self._with_methods(source, statement, parse_fragment(source, text))
            self.parsed[statement, text] = made
            self.count(made)
        return made

    def _with_methods(self, source: Source, before: cst.CSTNode, made: Sequence[Statement]) -> Sequence[Statement]:
        """Statements in place of another one. If that is a class, the first class among them continues it."""
        heir = next((at for at, statement in enumerate(made) if type(statement) is cst.ClassDef), None)
        if type(before) is not cst.ClassDef or heir is None:
            return made
        known = self.methods.get(before)
        if known is None:
            known = self.methods[before] = {}
            with_known(before, known, source.module)
        after = with_known(cst.ensure_type(made[heir], cst.ClassDef), known, source.module)
        self.methods[after] = known
        return [*made[:heir], after, *made[heir + 1 :]]

    def count(self, statements: Collection[cst.CSTNode]) -> None:
        """Count the parses of statements of the module."""
        self.parses.update(name for statement in statements for name in _defined(statement))


def _parsed_again(made: cst.CSTNode, parsed: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
    """The nodes of a statement with those of the parse of its text, up to where that gives other nodes than an edit made."""
    for (node, _above), (again, _parent) in zip(walk(made), walk(parsed), strict=False):
        if type(node) is not type(again):
            return
        yield node, again


def aligned(before: str, after: str) -> tuple[int, ...]:
    """For each line of a new text, the line of the old one that it came from."""
    from difflib import SequenceMatcher

    old, new = ([line.strip() for line in text.splitlines()] for text in (before, after))
    found = list[int]()
    for _tag, start, end, low, high in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        found += [min(start + k, max(end - 1, start)) + 1 for k in range(high - low)]
    return tuple(min(line, len(old)) for line in found)


def _defined(statement: cst.CSTNode) -> list[str]:
    """The names of the functions and methods in a statement of the module, as in the names of units."""
    found = list[str]()
    for node, _parent in walk_definitions(cst.Module([statement])):  # type: ignore[list-item]  # a statement of a module
        if isinstance(node, cst.FunctionDef):
            found.append(node.name.value)
        else:
            inner = (n for n, _p in walk_definitions(node.body) if isinstance(n, cst.FunctionDef))
            found += [f"{node.name.value}.{n.name.value}" for n in inner]
    return found
