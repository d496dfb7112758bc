"""The passes of a conversion, in order, as data: what each reads, makes and invalidates. Imports no syntax.

The results of passes: the `text` of all files, parsed; `facts` about all units, linked; `summaries` of the units as interpreted
with these facts; `resolved` once both agree; `plans`, one for each unit; `code`, the converted files.
"""

from __future__ import annotations

from dataclasses import dataclass

NOTHING: tuple[str, ...] = ()
ANALYSIS = ("facts", "summaries", "resolved", "plans")


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass. `shows`: what `--dump-after` prints for it, "code" or "facts"; `inner`: the pass that runs as part of it."""

    name: str
    about: str
    reads: tuple[str, ...]
    makes: str
    invalidates: tuple[str, ...] = NOTHING
    shows: str = "facts"
    inner: str = ""


PASSES = (
    Pass("read", "parses the files", NOTHING, "text", ANALYSIS, "code"),
    Pass("link", "joins the summaries of all units into facts", ("text",), "facts", ("summaries", "resolved", "plans")),
    Pass("summarize", "interprets the units whose facts changed", ("text", "facts"), "summaries"),
    Pass("resolve", "links and summarizes until nothing changes", ("text", "facts", "summaries"), "resolved", ("plans",)),
    Pass(
        "specialize-functions",
        "copies functions for those they get as arguments",
        ("plans",),
        "text",
        ANALYSIS,
        "code",
        "desugar",
    ),
    Pass("desugar", "spells out comprehensions and other shorthand", ("plans",), "text", ANALYSIS, "code", "outline-loops"),
    Pass("outline-loops", "moves loops out of functions that jit cannot compile", ("plans",), "text", ANALYSIS, "code"),
    Pass("inline-methods", "spells out methods that loops call", ("plans",), "text", ANALYSIS, "code", "outline-inlined"),
    Pass("outline-inlined", "moves these loops out of their methods", ("plans",), "text", ANALYSIS, "code"),
    Pass("outline-statements", "moves runs of statements out of such functions", ("plans",), "text", ANALYSIS, "code"),
    Pass("specialize", "compiles a copy of functions for arrays only", ("plans",), "text", ANALYSIS, "code"),
    Pass("clone-functions", "copies functions that both NumPy and compiled code run", ("plans",), "text", ANALYSIS, "code"),
    Pass("unswitch", "tests loop-invariant conditions before the loop", ("plans",), "text", ANALYSIS, "code"),
    Pass("rectangular-loops", "pads loops whose trip count depends on an outer loop", ("plans",), "text", ANALYSIS, "code"),
    Pass("scalar-replacement", "carries items that the previous iteration stored", ("plans",), "text", ANALYSIS, "code"),
    Pass("place", "chooses what is compiled and what stays NumPy", ("plans",), "places", ("plans",)),
    Pass("decide", "plans what becomes of each unit", ("resolved",), "plans"),
    Pass("rewrite", "lets the rules rewrite the files", ("plans",), "code", shows="code"),
)
BY_NAME = {each.name: each for each in PASSES}
MAKERS = {
    "text": "read",
    "facts": "link",
    "summaries": "summarize",
    "resolved": "resolve",
    "places": "place",
    "plans": "decide",
    "code": "rewrite",
}
STATISTICS = "stats"
NAMES = (*BY_NAME, STATISTICS)  # the values that `--dump-after` accepts
