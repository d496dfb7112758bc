"""The comments of statements that are replaced by others."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst


def of_branch(made: cst.CSTNode) -> Iterator[cst.EmptyLine]:
    """The lines above a statement, and the comments in it, as lines of their own."""
    above = getattr(made, "leading_lines", ())
    yield from above
    if "#" not in cst.Module([]).code_for_node(made):  # a look at every node takes six times as long
        return
    stack: list[cst.CSTNode] = [made]
    while stack:
        at = stack.pop()
        if isinstance(at, cst.EmptyLine):
            if at.comment is not None and not any(at is line for line in above):
                yield at.with_changes(indent=True)
        elif isinstance(at, cst.TrailingWhitespace):
            if at.comment is not None:
                yield cst.EmptyLine(comment=at.comment)
        else:
            stack.extend(reversed(at.children))
