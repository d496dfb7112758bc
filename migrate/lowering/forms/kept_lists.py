"""`self.history["loss"].append(loss)` in a loop: a list of its own takes the items, and the list in the dict or in the attribute is extended
by them after the loop.

    losses = []
    for ...:
        losses.append(loss)
    self.history["loss"].extend(losses)
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

import libcst as cst

from ....rules.core.findings import Edit
from ....rules.facts.iteration_space import integer
from ....rules.syntax import builders
from ....rules.syntax.source_text import code
from .form import Body, DesugaredStatement, with_comments
from .list_growth import is_plain

Owner = cst.Attribute | cst.Subscript


def desugar(statement: cst.CSTNode, body: Body) -> DesugaredStatement | None:
    if not isinstance(statement, (cst.For, cst.While)) or statement.orelse is not None:
        return None
    if body.source.among(statement, cst.Return, cst.Raise, cst.Yield, cst.Await):
        return None
    owners = {
        code(owner): owner for line in body.source.among(statement.body, cst.Expr) if (owner := _appended(line)) is not None
    }
    if not owners or not all(_starts_as_list(owner, statement, body) for owner in owners.values()):
        return None
    uses = [use for root in {code(_root(o)): _root(o) for o in owners.values()}.values() for use in _uses(root, statement, body)]
    if not all(code(use) in owners and _is_append_or_last(use, body) for use in uses):
        return None
    names = {text: body.fresh(f"{_stem(owner)}_history") for text, owner in owners.items()}

    def edit(made: cst.For | cst.While) -> cst.FlattenSentinel[cst.BaseStatement]:
        starts = [builders.assigned((name,), cst.List([])) for name in names.values()]
        ends = [
            cst.SimpleStatementLine([cst.Expr(builders.method(owner.deep_clone(), "extend", cst.Name(names[text])))])
            for text, owner in owners.items()
        ]
        return with_comments([*starts, made.with_changes(leading_lines=()), *ends], made)

    edits: dict[cst.CSTNode, Edit] = {statement: edit}
    for use in uses:
        edits[use] = _named(names[code(use)])
    return DesugaredStatement("lists in an object or a dict", edits, apart=True)


def _named(name: str) -> Edit:
    return lambda _made: cst.Name(name)


def _appended(line: cst.Expr) -> Owner | None:
    """The attribute, or the item of a dict, to whose list a statement appends."""
    match line.value:
        case cst.Call(
            func=cst.Attribute(value=cst.Attribute() | cst.Subscript() as owner, attr=cst.Name(value="append")),
            args=[cst.Arg(keyword=None, star="")],
        ) if _root(owner) is not owner or isinstance(owner, cst.Attribute):
            return owner
    return None


def _root(owner: Owner) -> cst.BaseExpression:
    """What holds the list: the dict, for an item with a literal key, or the attribute itself."""
    return owner.value if isinstance(owner, cst.Subscript) and _key(owner) else owner


def _key(owner: cst.Subscript) -> str:
    """The literal key of an item, as it is written."""
    match owner.slice:
        case [cst.SubscriptElement(slice=cst.Index(value=cst.SimpleString(value=key)))]:
            return key
    return ""


def _stem(owner: Owner) -> str:
    text = _key(owner).strip("\"'") if isinstance(owner, cst.Subscript) else owner.attr.value.strip("_")
    return text if text.isidentifier() else "list"


def _uses(root: cst.BaseExpression, loop: cst.CSTNode, body: Body) -> list[cst.CSTNode]:
    """Where a loop mentions an attribute or a dict: the attribute, or the items of the dict."""
    found = [
        node for node in body.source.among(loop, cst.Name, cst.Attribute) if type(node) is type(root) and code(node) == code(root)
    ]
    found = [node for node in found if not body.source.is_label(node)]
    return [
        above if isinstance(above := body.source.parents[n], cst.Subscript) and _key(above) and above.value is n else n
        for n in found
    ]


def _is_append_or_last(use: cst.CSTNode, body: Body) -> bool:
    match body.source.parents[use]:
        case cst.Attribute(attr=cst.Name(value="append")):
            return True
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=index))]) as read if integer(index) == -1:
            return not isinstance(body.source.parents[read], (cst.AssignTarget, cst.AugAssign, cst.Del))
    return False


def _starts_as_list(owner: Owner, loop: cst.For | cst.While, body: Body) -> bool:
    """Whether an attribute, or an item of a dict, certainly is a list, to which nothing but the loop appends in the meantime."""
    root = _root(owner)
    key = _key(owner) if isinstance(owner, cst.Subscript) else ""
    if isinstance(root, cst.Name):
        before = body.before(loop)
        passed = list(takewhile(lambda line: not _uses(root, line, body), before))
        start = before[len(passed)] if len(passed) < len(before) else None
        return root.value not in body.captured and start is not None and _makes_lists(start, root, key)
    if not isinstance(root, cst.Attribute) or not is_plain(root, loop, body) or not _is_only_bound_before(root, loop, body):
        return False
    owner_class = next((node for node in body.source.above(body.owner) if isinstance(node, cst.ClassDef)), None)
    if owner_class is None:
        return False
    bound = [n for n in body.source.among(owner_class, cst.AssignTarget) if code(n.target) == code(root)]
    made: Sequence[cst.CSTNode | None] = [body.source.parents[node] for node in bound]
    return bool(made) and all(
        isinstance(each, cst.Assign) and _makes_lists(cst.SimpleStatementLine([each]), root, key) for each in made
    )


def _is_only_bound_before(root: cst.Attribute, loop: cst.For | cst.While, body: Body) -> bool:
    """Whether a function does nothing with an attribute before a loop but bind it: another name would show what the loop appends."""
    start = body.source.spans[loop][0]
    uses = [use for use in _uses(root, body.owner, body) if body.source.spans[use][0] < start]
    return all(isinstance(body.source.parents[use], cst.AssignTarget) for use in uses)


def _makes_lists(line: cst.CSTNode, root: cst.BaseExpression, key: str) -> bool:
    """Whether a line binds a variable or an attribute to a list; or to a dict, with a list for a key."""
    match line:
        case cst.SimpleStatementLine(body=[cst.Assign(targets=[cst.AssignTarget(target=target)], value=value)]) if code(
            target
        ) == code(root):
            pass
        case _:
            return False
    if not key:
        return isinstance(value, cst.List)
    items = [e for e in value.elements if isinstance(e, cst.DictElement)] if isinstance(value, cst.Dict) else []
    return any(code(item.key) == key and isinstance(item.value, cst.List) for item in items)


__all__ = ["desugar"]
