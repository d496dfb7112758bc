"""Iterations that compute scalars from scalars, so that the same code computes whole arrays."""

from __future__ import annotations

import libcst as cst

from ....rules import numpy_table
from ....rules.core.findings import Kind
from ....rules.facts.dynamic_slices import Product
from ....rules.facts.parallel_loops import FIRST, Access, MaskedProduct, Predication, Put, Reduction, Store
from ....rules.facts.values import UNKNOWN
from ....rules.numpy_table import math_names
from ....rules.syntax import membership
from ....rules.syntax.source_text import verbatim
from ...syntax.liveness import uses
from ...syntax.names import bound_by
from ...syntax.source import walk
from ..branches import branch_arms
from ..loops.zip_loops import sliced_rows
from ..state.ranks import rank_of
from .loop_nest import Nest, flat, integer
from .segmented_sums import segments, slice_aliases

NUMBER = "<number>"  # the family of operands that are scalars in each iteration; other families have the shape of an array's rows


class Elementwise(Nest):
    """Decides whether the iterations of a nest are elementwise."""

    def _elementwise(self, statements: list[cst.CSTNode], stores: list[Store], reductions: list[Reduction]) -> bool:
        """Whether an iteration computes scalars from scalars, so that the same code computes arrays from arrays."""
        if any(a.axes is None or -2 in a.axes for a in (s.target for s in stores)) or not self._written_again():
            return False
        families: set[str] = set()
        spans = self.spans
        self.products = self._masked_products()
        self.segments = segments(self)
        held = slice_aliases(self)
        ranks = {s: self._rank(s.target) for s in stores}
        terms: dict[cst.CSTNode, cst.BaseExpression] = {s.node: s.value for s in stores}
        terms.update({r.whole: r.value for r in reductions})
        tests = {r.branch: r.test for r in reductions if r.branch is not None}
        self.numbers = bool(stores or reductions) and all(rank == len(s.target.parts) for s, rank in ranks.items())
        self.numbers = self.numbers and all(self._stored_later(r.name) is not None for r in reductions)
        predications: dict[cst.CSTNode, list[Store | Reduction]] = {}
        both: list[Store | Reduction] = [*stores, *reductions]
        for each in both:
            if each.predication is not None:
                predications.setdefault(each.whole, []).append(each)
        for statement in statements:
            if statement in held:
                continue
            if statement in predications:
                group = predications[statement]
                if len(group) > 1 and self._read_in(statement, [each for each in group if isinstance(each, Store)]):
                    return False  # one array is stored after the other: the next one would read new values
                if not all(self._predicated(each, families, spans) for each in group):
                    return False
                continue
            match statement:
                case cst.Assign(targets=[cst.AssignTarget(target=target)], value=value) if isinstance(
                    target, cst.Name
                ) or statement in {s.node for s in stores}:
                    pass
                case cst.AugAssign(value=value) if statement in terms:
                    target = statement.target
                case cst.If() if statement in tests:
                    test = tests[statement]
                    parts = [self._spanned(part, families, spans) for part in (terms[statement], test) if part is not None]
                    if None in parts or not self._of_all(frozenset().union(*(p or () for p in parts))):
                        return False
                    continue
                case cst.If() if self._private_predication(statement, families, spans):
                    continue
                case cst.Expr(value=value) if statement in terms:  # an item of a list
                    if self._spanned(terms[statement], families, spans) != frozenset({0}):
                        return False
                    continue
                case _:
                    return False
            kept = terms.get(statement, value)
            span = self._spanned(kept, families, spans)
            if span is None or any(not span.issuperset(s.summed) for s in stores if s.node is statement):
                return False
            self.varying[statement] = span
            if isinstance(target, cst.Name):
                if target.value not in {r.name for r in reductions}:
                    spans[target.value] = span
                elif not self._of_all(span):
                    return False
        single = len(self.names) == 1
        for store in stores:
            rank = ranks[store]
            if rank != len(store.target.parts) and not (single and families <= {self._family(store.target)}):
                return False
            order = [a for a in store.target.axes or () if a >= 0]
            if order != sorted(order) or (rank != len(store.target.parts) and store.target.axes != (0,)):
                return False
        if self.sure is not None:
            self.certain = not families - {NUMBER} and (self.numbers or self._scalar_invariants(reductions))
            return all(rank == len(s.target.parts) for s, rank in ranks.items()) and (self.certain or not reductions)
        if reductions and families - {NUMBER}:
            return single and len(families) == 1 and self._scalar_invariants(reductions)
        return not reductions or self.numbers or self._scalar_invariants(reductions)

    def _read_in(self, root: cst.CSTNode, stores: list[Store]) -> bool:
        """Whether a branch reads one of the arrays that it stores to."""
        arrays = {store.target.array for store in stores}
        targets = {target for store in stores for target in store.targets}
        return any(p not in targets for n, p in walk(root) if isinstance(n, cst.Name) and n.value in arrays)

    def _predicated(self, kept: Store | Reduction, families: set[str], spans: dict[str, frozenset[int]]) -> bool:
        """Whether what a branch stores, or adds, varies element by element."""
        assert kept.predication is not None
        for line, _taken, _partial in kept.first:
            span = self._spanned(line.value, families, spans)
            if span is None or not isinstance(name := line.targets[0].target, cst.Name):
                return False
            spans[name.value] = self.varying[line] = span
        values = [put.value for put in kept.predication.puts]
        found = [self._spanned(node, families, spans) for node in (*kept.predication.tests, *values)]
        if None in found:
            return False
        span = self.varying[kept.node] = frozenset().union(*(f or () for f in found))
        certain = self._certain_span(kept.predication, families, spans)
        if isinstance(kept, Reduction):
            return self._of_all(certain)
        axes = frozenset(a for a in kept.target.axes or () if a >= 0)
        if kept.predication.keeps and not kept.summed:
            families.add(self._number(kept.target.node) or self._family(kept.target))
            self.varying[kept.node] |= axes
        return certain.issuperset(kept.summed) and span <= axes.union(kept.summed)

    def _certain_span(
        self, arm: Predication | Put | None, families: set[str], spans: dict[str, frozenset[int]]
    ) -> frozenset[int]:
        """The indices along which a value varies, whichever way Python decides the tests that it may decide when JAX traces."""
        if arm is None:
            return frozenset()
        if isinstance(arm, Put):
            return self._spanned(arm.value, families, spans) or frozenset()
        test = self._spanned(arm.test, families, spans) or frozenset()
        yes, no = (self._certain_span(each, families, spans) for each in (arm.yes, arm.no))
        return yes | no | test if test or self.run.values.get(arm.test, UNKNOWN).traced else yes & no

    def _of_all(self, span: frozenset[int]) -> bool:
        """Whether an operand of a reduction varies along all the indices whose iterations are reduced into one variable."""
        inner = range(len(self.nest) - len(self.depth), len(self.nest))
        return span.issuperset(inner) if self.inner is not None else span == frozenset(range(len(self.names)))

    def _private_predication(self, node: cst.If, families: set[str], spans: dict[str, frozenset[int]]) -> bool:
        """Whether a branch binds only private variables of the iteration, to values that vary element by element."""
        asked = self._spanned(node.test, families, spans)
        if asked is None or not self._by_where(node):
            return False
        ends = []
        for block in (branch_arms.statements(node.body), branch_arms.otherwise(node)):
            bound = dict(spans)
            made: set[str] = set()
            for small in (part for line in block for part in self._small(line)):
                read, names = uses(small)
                if not made.isdisjoint({*read, *names}) or not self._binds_private(small, families, bound):
                    return False
                made |= names
            if not made <= {*self.run.branching.branches[node].names}:
                return False
            ends.append(bound)
        for name in self.run.branching.branches[node].names:
            spans[name] = asked.union(*(end.get(name, frozenset()) for end in ends))
        return True

    def _binds_private(self, node: cst.CSTNode, families: set[str], spans: dict[str, frozenset[int]]) -> bool:
        """Whether a statement in an arm of such a branch binds a private variable."""
        before: frozenset[int] | None = frozenset()
        match node:
            case cst.Pass():
                return True
            case cst.If():
                return self._private_predication(node, families, spans)
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
                pass
            case cst.AugAssign(target=cst.Name(value=name), value=value):
                before = spans.get(name)
            case _:
                return False
        span = self._spanned(value, families, spans)
        if span is None or before is None or name not in self.private:
            return False
        spans[name] = before | span
        return True

    def _by_where(self, node: cst.If | cst.IfExp) -> bool:
        """Whether both arms of a branch are computed, and `jnp.where` selects."""
        branch = self.run.branching.branches.get(node)
        return branch is not None and not branch.expensive and branch.sure

    def _rank(self, access: Access) -> int:
        """The rank of an array, as far as it is known, or as an `assert` before the loops states."""
        said = {b.array: b.rank for plan in self.plans.values() for b in (*plan.vectors, *plan.bounds) if b.rank}
        return rank_of(self.run, access.node.value, said)[0]

    def _masked_products(self) -> dict[cst.CSTNode, MaskedProduct]:
        """The products of parts of rows and columns whose lengths vary between iterations, in statements with no other varying
        slice.
        """
        found: dict[cst.CSTNode, MaskedProduct] = {}
        for plan in self.plans.values():
            if not plan.products or plan.selection:
                continue
            if any((plan.masks, plan.reductions, plan.stores, plan.windows, plan.reversals, plan.fits, plan.ranks, plan.moved)):
                continue
            made = [self._masked_product(node, product) for node, product in plan.products.items()]
            if len(plan.reads) == 2 * len(made):
                found |= {each.node: each for each in made if each is not None}
        return found

    def _masked_product(self, node: cst.BaseExpression, product: Product) -> MaskedProduct | None:
        sides = [self.accesses.get(side) for side in (product.left, product.right)]
        dtypes = {self.run.values.get(side, UNKNOWN).dtype for side in (product.left, product.right)} - {""}
        ((_back, bounds),) = product.mask.axes
        if None in sides or len(dtypes) > 1 or bounds.wraps or bounds.step is not None:
            return None
        names = {n.value for bound in bounds.written for n, _parent in walk(bound) if isinstance(n, cst.Name)}
        if not names.isdisjoint({*self.private, *self.loop.carry, *dict(self.rows)}):
            return None
        rows = {k for k, name in enumerate(self.names) if name in names}
        for left, right in (sides, sides[::-1]):
            if left is None or right is None or left.axes is None or right.axes is None:
                return None
            ours, theirs = ({a for a in axes if a >= 0} for axes in (left.axes, right.axes))
            alone = left.axes.count(-2) == right.axes.count(-2) == 1
            if (
                alone
                and ours == rows
                and len(rows) == 1
                and rows.isdisjoint(theirs)
                and rows | theirs == {*range(len(self.names))}
            ):
                return MaskedProduct(node, left, right, product.mask, *rows)
        return None

    def _stored_later(self, name: str, only: bool = False) -> cst.BaseExpression | None:
        """The array into an element of which a variable is stored after the loop: the variable certainly is a number then.
        `only`: nothing else reads it.
        """
        block = list(getattr(self.run.source.parents.get(self.first), "body", ()))
        for line in block[block.index(self.first) + 1 :]:
            match line:
                case cst.SimpleStatementLine(
                    body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Subscript(value=base) as place)], value=value)]
                ) if self._elementwise_of(value, name):
                    parts = [integer(part) for part in flat(place)]
                    number = all(p is not None and self.run.values.get(p, UNKNOWN).kind is Kind.SCALAR for p in parts)
                    if only and name in self.run.live.after.get(line.body[0], {name}):
                        return None
                    return base if number and self.run.values.get(base, UNKNOWN).rank == len(parts) else None
            if any(isinstance(n, cst.Name) and n.value == name for n, _p in walk(line)):
                return None
        return None

    def _elementwise_of(self, value: cst.BaseExpression, name: str) -> bool:
        """Whether an expression is a variable, or is computed from it element by element."""
        match value:
            case cst.Name():
                return value.value == name
            case cst.BinaryOperation(left=left, right=right) if not isinstance(value.operator, cst.MatrixMultiply):
                return self._elementwise_of(left, name) or self._elementwise_of(right, name)
            case cst.UnaryOperation(operator=cst.Minus() | cst.Plus(), expression=inner):
                return self._elementwise_of(inner, name)
            case cst.Call(func=func, args=args) if not any(a.keyword or a.star for a in args):
                entry = numpy_table.function(self.run.scopes.qualname(func) or "")
                return entry is not None and entry.ufunc == len(args) and any(self._elementwise_of(a.value, name) for a in args)
        return False

    def _scalar_invariants(self, reductions: list[Reduction]) -> bool:
        """Whether all operands of a sum, apart from the elements of arrays, certainly are scalars. The operands of the test of a
        search have one element at most: Python needs its truth value.
        """
        inside = {n for access in self.accesses for n, _parent in walk(access)}
        inside |= {n for r in reductions if r.how == FIRST and r.test is not None for n, _parent in walk(r.test)}
        own = (
            self.private
            if self.sure is None
            else self.sure | {n for line in getattr(self.body, "body", ()) for n in bound_by(line)}
        )
        for node, parent in walk(self.body):
            if not isinstance(node, cst.Name) or node.value in {*self.names, *dict(self.rows), *own}:
                continue
            attribute = isinstance(parent, cst.Attribute) and parent.attr is node
            if node not in inside and not attribute and node.value not in {name for r in reductions for name in r.names}:
                if self.run.values.get(node, UNKNOWN).kind not in (Kind.SCALAR, Kind.FUNCTION, Kind.MODULE):
                    return False
        return True

    def _family(self, access: Access) -> str:
        value = self.run.values.get(access.node.value, UNKNOWN)
        return value.shape or access.array

    def _family_of(self, array: cst.BaseExpression) -> str:
        """The family of the rows of an array; a slice of the rows has the family of all rows."""
        found = sliced_rows(array)
        base = found[0] if found is not None and len(found[1]) < 2 else array
        return self.run.values.get(base, UNKNOWN).shape or verbatim(base)

    def _spanned(self, node: cst.BaseExpression, families: set[str], spans: dict[str, frozenset[int]]) -> frozenset[int] | None:
        """The indices along which an expression varies, as an array over all iterations; None where it is not elementwise."""

        def several(*nodes: cst.BaseExpression) -> frozenset[int] | None:
            found = [self._spanned(n, families, spans) for n in nodes]
            return None if any(f is None for f in found) else frozenset().union(*(f for f in found if f is not None))

        if node in self.products or node in self.segments:
            families.add(NUMBER)
            return frozenset(range(len(self.names)))
        match node:
            case cst.Integer() | cst.Float() | cst.Imaginary():
                return frozenset()
            case cst.Name(value=name):
                if name in dict(self.rows):
                    families.add(self._number(node) or self._family_of(dict(self.rows)[name]))
                    return frozenset({0})
                if name in self.names:
                    families.add(NUMBER)
                    return frozenset({self.names.index(name)})
                if name in self.private:
                    return spans.get(name)
                return frozenset() if name not in self.loop.carry else None
            case cst.Subscript() if (access := self._access_of(node)) is not None:
                if access.axes is None or -2 in access.axes:
                    return self._gathered(node, families, spans)
                if not self._number(node) and access.axes != (0,):
                    return None
                families.add(self._number(node) or self._family(access))
                return frozenset(a for a in access.axes if a >= 0)
            case cst.BinaryOperation(left=left, operator=operator, right=right) if not isinstance(
                operator, (cst.MatrixMultiply, cst.LeftShift, cst.RightShift)
            ):
                return several(left, right)
            case cst.UnaryOperation(operator=cst.Minus() | cst.Plus(), expression=inner):
                return several(inner)
            case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(operator=operator, comparator=right)]) if (
                not membership.members(node)
            ):
                plain = isinstance(
                    operator,
                    (cst.LessThan, cst.LessThanEqual, cst.GreaterThan, cst.GreaterThanEqual, cst.Equal, cst.NotEqual),
                )
                return several(left, right) if plain else None
            case cst.Comparison(left=left, comparisons=parts) if node in self.run.branching.logic:
                others = membership.members(node) or [part.comparator for part in parts]
                return several(left, *others) if self.mentions(node) else None
            case cst.BooleanOperation(left=left, right=right) if node in self.run.branching.logic:
                both = self.mentions(left) and self.mentions(right)  # what Python knows stays `and`; else NJ404 writes `&`
                return several(left, right) if both else None
            case cst.UnaryOperation(operator=cst.Not(), expression=inner) if node in self.run.branching.logic:
                return several(inner) if self.mentions(inner) else None
            case cst.IfExp(test=test, body=body, orelse=orelse) if self._by_where(node):
                return several(test, body, orelse) if self.mentions(test) else None
            case cst.Call(func=func, args=args) if not any(a.keyword or a.star for a in args):
                name = self.run.scopes.qualname(func) or ""
                entry = numpy_table.function(name)
                ufunc = entry is not None and entry.ufunc == len(args)
                if ufunc or (name == "numpy.where" and len(args) == 3) or name == "builtins.abs":
                    return several(*(a.value for a in args))
                if name in ("builtins.min", "builtins.max") and node in self.run.branching.logic:
                    return several(*(a.value for a in args)) if any(self.mentions(a) for a in args) else None
                if math_names.jax_name(name, len(args)) and not self.run.values.get(node, UNKNOWN).static:
                    return several(*(a.value for a in args))
        return frozenset() if not self.mentions(node) and not self._carried(node) else None

    def _number(self, node: cst.CSTNode) -> str:
        """The family of a value that certainly is a scalar in each iteration, "" where it may be a row."""
        return NUMBER if self.numbers or self.run.values.get(node, UNKNOWN).kind is Kind.SCALAR else ""

    def _gathered(self, node: cst.Subscript, families: set[str], spans: dict[str, frozenset[int]]) -> frozenset[int] | None:
        """The indices along which a gather varies, `a[i, i]` or `x[index[i]]` with one index: an array as index reads one element
        per iteration.
        """
        if len(self.names) > 1 or self.run.values.get(node.value, UNKNOWN).kind is not Kind.ARRAY:
            return None
        parts = flat(node)
        for part in parts:
            index = integer(part)
            if index is None or self.run.values.get(index, UNKNOWN).kind is not Kind.SCALAR:
                return None
            if self._spanned(index, set(), spans) is None:
                return None
        if len({self.mentions(p) for p in parts}) > 1:
            return None
        array = self.run.values.get(node.value, UNKNOWN).shape or verbatim(node.value)
        families.add(self._number(node) or f"{array}:{len(parts)}")
        return frozenset({0}) if self.mentions(node) else frozenset()

    def _access_of(self, node: cst.Subscript) -> Access | None:
        return self.accesses.get(node)
