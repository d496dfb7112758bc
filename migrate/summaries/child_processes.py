"""Which functions a unit runs in child processes."""

from __future__ import annotations

import libcst as cst

from ...rules.core.findings import Kind
from ...rules.facts.values import UNKNOWN
from ..analysis.state.interpreter_state import Run
from .units import ChildProcesses, Module, Unit

LIBRARIES = frozenset("billiard concurrent multiprocess multiprocessing os p_tqdm pathos".split())
STARTS = frozenset("ParallelPool Pool Process ProcessPool ProcessPoolExecutor fork p_imap p_map p_uimap p_umap".split())
GIVES_WORK = frozenset("apply apply_async imap imap_unordered map map_async starmap starmap_async submit".split())
FUNCTION = frozenset("fn func function initializer target".split())  # the parameters that take a function
CHOOSES = frozenset("get_context set_start_method".split())
ANEW = frozenset("forkserver spawn".split())  # start methods that begin with a new process


def child_processes(module: Module, unit: Unit, run: Run) -> ChildProcesses:
    forks = anew = others = False
    given = set[str]()
    for call in module.nodes[unit.name]:
        if not isinstance(call, cst.Call):
            continue
        name = module.scopes.qualname(call.func) or ""
        last = name.rpartition(".")[2]
        known = name.partition(".")[0] in LIBRARIES
        starts = known and last in STARTS
        chooses = known and last in CHOOSES and bool(call.args)
        anew |= chooses and _text(call.args[0].value) in ANEW
        forks |= starts or (chooses and _text(call.args[0].value) not in ANEW)
        others |= name == "os.fork"
        if not starts and not _is_method(call, name):
            continue
        for position, argument in enumerate(call.args):
            value = run.values.get(argument.value, UNKNOWN)
            if value.kind is Kind.FUNCTION and value.name in run.facts.functions:
                given.add(value.name)
            elif position == 0 if argument.keyword is None else argument.keyword.value in FUNCTION:
                builtin = (module.scopes.qualname(argument.value) or "").startswith("builtins.")
                others |= value.kind in (Kind.FUNCTION, Kind.OBJECT, Kind.UNKNOWN) and not builtin
    return ChildProcesses(forks, anew, frozenset(given), others)


def _is_method(call: cst.Call, name: str) -> bool:
    """Whether it may be a method of a pool, to which it gives a function."""
    return isinstance(call.func, cst.Attribute) and call.func.attr.value in GIVES_WORK and not name and bool(call.args)


def _text(node: cst.BaseExpression) -> object:
    return node.evaluated_value if isinstance(node, cst.SimpleString) else None
