"""Output arguments of a call: the arrays that `out` names, by keyword or by position."""

from __future__ import annotations

import libcst as cst

from ..numpy_table.entry import Entry


def count(entry: Entry) -> int:
    """How many results a function has: 2 for divmod, modf and frexp."""
    return int(entry.kind.partition(":")[2]) if entry.ufunc and entry.kind.startswith("tuple:") else 1


def outputs(call: cst.Call, entry: Entry) -> tuple[cst.BaseExpression, ...]:
    """The arguments for `out`, one for each result of the function as far as there are any; empty where there is none.

    A variable that may be a tuple of arrays is returned as it is.
    """
    if "out" not in entry.params:
        return ()
    for argument in call.args:
        if argument.keyword is not None and argument.keyword.value == "out":
            if isinstance(argument.value, cst.Tuple):
                return tuple(e.value for e in argument.value.elements)
            return (argument.value,)
    if any(name.startswith("*") for name in entry.params):
        return ()
    first = entry.params.index("out")
    plain = [a for a in call.args if a.keyword is None]
    if any(a.star for a in plain[: first + 1]):
        return ()
    return tuple(a.value for a in plain[first : first + count(entry)] if not a.star)


def without(call: cst.Call, entry: Entry, dropped: tuple[str, ...]) -> cst.Call:
    """The call without its outputs and the parameters `dropped`; later arguments become keyword arguments."""
    gone = {"out", *dropped}
    args: list[cst.Arg] = []
    late, starred = False, any(name.startswith("*") for name in entry.params)
    plain = -1
    for argument in call.args:
        if argument.keyword is not None or argument.star:
            name = argument.keyword.value if argument.keyword is not None else ""
        else:
            plain += 1
            extra = entry.ufunc and plain >= entry.ufunc
            name = "out" if extra else entry.params[plain] if plain < len(entry.params) and not starred else ""
        if name in gone:
            late = True
        elif late and argument.keyword is None and not argument.star:
            equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
            args.append(argument.with_changes(keyword=cst.Name(name), equal=equal))
        else:
            args.append(argument)
    if args and args[-1].comma is not cst.MaybeSentinel.DEFAULT and (not call.args or args[-1] is not call.args[-1]):
        args[-1] = args[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return call.with_changes(args=args)
