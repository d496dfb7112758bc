"""Integers that do not change while a loop runs, as affine forms."""

from __future__ import annotations

from functools import cached_property

import libcst as cst

from ....rules.core.dtypes import category
from ....rules.core.findings import Kind
from ....rules.facts.values import UNKNOWN
from ....rules.syntax.tree import walk
from ...analysis.symbolic.affine import Affine, affine
from ...syntax.names import bound_by
from .form import Body

RESIZING = frozenset("append clear extend insert pop remove resize".split())


class Invariants:
    """The invariant integers of one loop."""

    def __init__(self, body: Body, loop: cst.While) -> None:
        self.body = body
        self.loop = loop
        self.bound = bound_by(loop)

    def form(self, node: cst.BaseExpression, but: str = "") -> Affine | None:
        """The form of an expression of integers and of sizes of arrays, none of which changes; None for any other. `but`: a variable
        that may change."""
        form = affine(node)
        if form is None:
            return None
        for part, parent in walk(node):
            match part:
                case cst.Call(func=cst.Name() as function) if (self.body.scopes.qualname(function) or "").startswith("builtins."):
                    pass
                case cst.Call():
                    return None
                case cst.Attribute(value=cst.Name() as base, attr=cst.Name(value="shape" | "size" | "ndim")):
                    if not self._sized(base):
                        return None
                case cst.Attribute():
                    return None
                case cst.Name(value=name) if isinstance(parent, cst.Attribute):
                    pass
                case cst.Name() if isinstance(parent, cst.Call) and parent.func is part:
                    pass
                case cst.Name() as array if isinstance(parent, cst.Arg) and self._measured(parent):
                    if not self._sized(array):
                        return None
                case cst.Name(value=name) if name != but:
                    if name in self.bound or name in self.body.captured or not self.is_integer(part):
                        return None
        return form

    def _measured(self, argument: cst.Arg) -> bool:
        """Whether an argument is that of `len`."""
        call = self.body.source.parents[argument]
        return isinstance(call, cst.Call) and self.body.calls(call) == "builtins.len"

    def _sized(self, array: cst.Name) -> bool:
        """Whether a variable holds an array whose shape does not change in the loop."""
        name = array.value
        if name in self.bound or name in self.body.captured or name in self._resized:
            return False
        kind = self.body.values.get(array, UNKNOWN).kind
        return kind is Kind.ARRAY or (kind is Kind.UNKNOWN and self.body.ranks.get(name, 0) != 0)

    def is_integer(self, node: cst.Name) -> bool:
        """Whether a variable is an integer, as far as its value or its use as a bound of slices or ranges tells."""
        value = self.body.values.get(node, UNKNOWN)
        if value.dtype:
            return category(value.dtype) == 1 and value.kind in (Kind.SCALAR, Kind.UNKNOWN)
        return node.value in self._indices

    @cached_property
    def _resized(self) -> frozenset[str]:
        """The variables that a method or a statement of the loop may resize."""
        found = set[str]()
        for node in self.body.source.among(self.loop, cst.Attribute):
            if isinstance(node.value, cst.Name):
                called = isinstance(above := self.body.source.parents[node], cst.Call) and above.func is node
                stored = node.attr.value == "shape" and isinstance(above, (cst.AssignTarget, cst.Element))
                if stored or (called and node.attr.value in RESIZING):
                    found.add(node.value.value)
        return frozenset(found)

    @cached_property
    def _indices(self) -> frozenset[str]:
        """The variables of the function that bound slices and ranges, which only integers do."""
        slices = self.body.source.among(self.body.owner, cst.Slice)
        bounds = [bound for part in slices for bound in (part.lower, part.upper, part.step) if bound is not None]
        for call in self.body.source.among(self.body.owner, cst.Call):
            bounds += [a.value for a in call.args] if self.body.calls(call) == "builtins.range" else []
        forms = [form for bound in bounds if (form := affine(bound)) is not None]
        return frozenset().union(*(form.names for form in forms))
