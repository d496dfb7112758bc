"""Both children: imports, descriptions and calls, with a time limit on everything that runs user code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..values.calls import Arguments, Outcome
from ..values.snapshot import Node, Snapshot
from .process import Child, Ended, TimedOut
from .staging import Staged

IMPORT = 60.0  # seconds allowed for importing a module, in addition to the limit for a call
COMPILING = 3  # the converted function gets this multiple of the limit, because JAX compiles it first


@dataclass(frozen=True, slots=True)
class Description:
    """A child's description of a function after importing it. `error`: why the module cannot be imported."""

    error: str = ""
    missing: bool = False
    kind: str = ""  # what it makes instead of a result (a generator), "" for an ordinary function
    params: tuple[Mapping[str, Any], ...] = ()
    doc: str = ""
    jitted: bool = False
    bases: tuple[str, ...] = ()  # of a class: the names of its base classes
    access: str = ""  # how a class gives it, such as "it is a property"; "" for a method that is called on an instance
    trouble: str = ""  # where the draws of the module on import differ from the original's

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters that take one argument."""
        return tuple(param["name"] for param in self.params if not param["kind"].startswith("VAR"))


@dataclass(frozen=True, slots=True)
class Times:
    """What each of several calls took, in seconds, the first one first. `error`: why they could not be made."""

    seconds: tuple[float, ...]
    error: str = ""


@dataclass(slots=True)
class Side:
    """One tree and the child that runs it."""

    child: Child
    timeout: float
    described: dict[tuple[str, str], Description] = field(default_factory=dict)
    generation: int = 0
    imported: set[str] = field(default_factory=set)
    x64_by_us: bool = False
    spent: float = 0.0  # processor time of all calls, in seconds
    clock: float = 0.0  # that of the child, when it last answered
    drawn: list[Snapshot] = field(default_factory=list)  # the draws of the original's modules on import; shared by both sides

    def describe(self, file: str, names: tuple[str, ...]) -> None:
        """Import a file and describe its functions in one request."""
        error, trouble, functions = "", "", {}
        try:
            answer = self._import(file, names)
            error, trouble, functions = answer["error"], answer.get("trouble", ""), answer.get("functions", {})
            self.x64_by_us = self.x64_by_us or answer.get("x64_by_us", False)
        except TimedOut:
            error = f"the import does not end within {self.timeout + IMPORT:g} s"
        except Ended as problem:
            error = f"on import {problem}"
        for name in names:
            known = functions.get(name, {})
            self.described[file, name] = Description(
                error,
                known.get("missing", not error),
                known.get("kind", ""),
                tuple(known.get("params", ())),
                known.get("doc", ""),
                known.get("jitted", False),
                tuple(known.get("bases", ())),
                known.get("access", ""),
                trouble,
            )

    def _import(self, file: str, names: tuple[str, ...] = ()) -> dict[str, Any]:
        """Import a file, recording or replaying the draws of its modules."""
        snapshots = {str(number): node for number, node in enumerate(self.drawn)}
        answer = self.child.ask({"op": "import", "file": file, "names": names, "snapshots": snapshots}, self.timeout + IMPORT)
        self.clock = answer["processor"]
        if (tape := answer["snapshots"].get("tape")) is not None:
            self.drawn.append(tape)
        return answer

    def defaults(self, file: str, name: str) -> dict[str, Snapshot]:
        """The default values of a function's parameters. Raises Ended."""
        found: dict[str, Snapshot] = self._after_import(file, {"op": "defaults", "file": file, "name": name}, self.timeout)[
            "snapshots"
        ]
        return found

    def call(
        self, file: str, name: str, arguments: Arguments, limit: float, how: Mapping[str, Any], tape: Snapshot = None
    ) -> Outcome:
        """Call a function. Raises Ended if it ends its process or exceeds the time limit.

        `how`: arrays ("numpy" or "jax"), eager, guarded, marked (see marked_memory), platform, seed, keys (pass keys in place
        of NumPy generators), reuse (the function draws by itself, and JAX checks for key reuse), traced (follow it line by line;
        with `sides` also the operands of comparisons, of which `constants` are exact), statements (keep what its names are bound
        to), noise (the seed of rounding errors that are added to what its names are bound to, 0: none),
        noise_everywhere (see RoundingNoise). `tape`: the draws to replay.
        """
        plain: dict[str, Any] = {"arrays": "jax", "eager": False, "guarded": False, "marked": 0, "platform": "", "seed": 0}
        plain |= {"keys": False, "reuse": False, "traced": False, "sides": True, "constants": (), "statements": False}
        plain |= {"noise": 0, "noise_everywhere": False}
        snapshots: dict[str, Snapshot] = {"arguments": arguments.node, "tape": tape}
        message = {"op": "call", "file": file, "name": name, "snapshots": snapshots, **plain, **how}
        answer = self._after_import(file, message, limit)
        snapshots = answer["snapshots"]
        after = snapshots.get("after")
        return Outcome(
            answer["status"],
            snapshots.get("result"),
            Arguments(after) if isinstance(after, Node) else None,
            answer.get("error", ""),
            answer.get("warned", False),
            answer.get("seconds", 0.0),
            answer.get("line", 0),
            answer.get("exception", ""),
            answer.get("deliberate", False),
            snapshots.get("tape"),
            answer.get("keys", False),
            tuple(map(tuple, answer.get("seeds", ()))),
            answer.get("trouble", ""),
            answer.get("path", {}),
            answer.get("printed", ""),
            answer.get("messages", ""),
            snapshots.get("steps"),
            tuple(answer["shares"]) if "shares" in answer else None,
        )

    def time(self, file: str, name: str, arguments: Arguments, limit: float, how: Mapping[str, Any]) -> Times:
        """Call a function again and again; see TimingWorker.do_time, also for `how`. Raises Ended as `call` does."""
        plain = {
            "budget": 0.0,
            "least": 1,
            "most": 1,
            "fresh": False,
            "guarded": False,
            "keys": False,
            "arrays": "numpy",
            "seed": 0,
        }
        message = {"op": "time", "file": file, "name": name, "snapshots": {"arguments": arguments.node}, **plain, **how}
        answer = self._after_import(file, message, limit)
        return Times(tuple(answer.get("seconds", ())), answer.get("error", ""))

    def _after_import(self, file: str, message: dict[str, Any], limit: float) -> dict[str, Any]:
        """Send a request. A new process imports the module first, outside the time limit for the call."""
        self.child.start()
        if self.generation != self.child.generation:
            self.generation, self.imported = self.child.generation, set()
        if file not in self.imported:
            self._import(file)
            self.imported.add(file)
        answer = self.child.ask(message, limit)
        self.spent += answer["processor"] - self.clock
        self.clock = answer["processor"]
        return answer

    def stop(self) -> None:
        """End the child."""
        self.child.stop()


def open_sides(staged: Staged, precision: str, timeout: float, job: str = "serve") -> tuple[Side, Side]:
    """The sides of the original and of the converted tree; their processes start when first needed. `job`: see Child."""
    shared = {"modules": staged.modules, "precision": precision, "has_programs": bool(staged.scripts)}
    left = shared | {"converted": False, "top": str(staged.original), "paths": staged.paths[0]}
    right = shared | {"converted": True, "top": str(staged.converted), "paths": staged.paths[1]}
    drawn: list[Snapshot] = []
    return Side(Child(left, job), timeout, drawn=drawn), Side(Child(right, job), timeout, drawn=drawn)
