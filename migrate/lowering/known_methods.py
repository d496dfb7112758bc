"""Methods whose class is parsed again, though their text is the same: they keep their nodes, and so what is known of them."""

from __future__ import annotations

import libcst as cst

from ..syntax.source import deep

Methods = dict[str, cst.FunctionDef]  # by their text


def with_known(made: cst.ClassDef, known: Methods, module: cst.Module) -> cst.ClassDef:
    """A class with the `known` nodes for methods of the same text, each at most once. Its other methods become known."""
    taken = set[cst.CSTNode]()

    def kept(member: cst.CSTNode) -> cst.CSTNode:
        if type(member) is not cst.FunctionDef:
            return member
        # the text in a block: elsewhere, a comment in the first column looks like one with the indent of the method
        node = known.setdefault(deep(module.code_for_node, cst.IndentedBlock([member])), member)
        if node in taken:
            return member
        taken.add(node)
        return node

    if type(made.body) is not cst.IndentedBlock:
        return made
    members = [kept(member) for member in made.body.body]
    if all(now is before for now, before in zip(members, made.body.body, strict=True)):
        return made
    return made.with_changes(body=made.body.with_changes(body=members))
