"""Instances to call methods on: the original's classes make them of generated arguments, and its methods change them."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..sandbox.process import Ended
from ..sandbox.session import Description, Side
from ..sandbox.staging import FunctionPair
from ..values.calls import Arguments, Outcome, arguments, changed
from ..values.snapshot import Array, Node, Snapshot, obstacle, walk
from .argument_forms import argument_forms
from .samples import choices
from .signature_search import Search
from .signatures import Form

MOST = 4  # instances of a class that are made anew
MOST_CHANGED = 3  # instances that a method has changed: a model that was fitted
MOST_AGAIN = 2  # calls of the method beside the first one
APART = 10_000  # what is shared inside an instance is numbered apart from other arguments
ABSTRACT = "NotImplementedError"
NO_INIT = ast.parse("def __init__(self): pass").body[0]


@dataclass(slots=True)
class Instances:
    """The instances of the classes of one file. `limit`: seconds for one call of a constructor."""

    original: Side
    file: str
    pairs: Mapping[str, FunctionPair]  # the functions of the file by name
    seed: int
    limit: float
    made: dict[str, list[Node]] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)  # of changed instances
    numbered: int = 0

    def forms(self, method: str, first: str) -> list[Form] | str:
        """What the first parameter of a method may be: an instance of its class, the most used first; or why there is none, in words.

        Raises Ended.
        """
        owner, _, name = method.rpartition(".")
        if first == "cls":
            return [Form("choice", values=(Node("global", f"{self.file}::{owner}"),))]
        known = self._made(owner)
        if name != "__init__" and self._is_abstract(owner):
            known = [one for child in self._children(owner) for one in self._made(child)[:1]] or known
        if not known:
            return f"no recorded call has an instance to call it on, and none of {owner} could be made: {self.reasons[owner]}"
        if name == "__init__":
            known = [replace(known[0], items=())]
        return [Form("choice", values=(one,)) for one in known]

    def _made(self, owner: str) -> list[Node]:
        """The instances of a class. Raises Ended."""
        if owner not in self.made:
            self.made[owner] = self._constructed(owner)
        return self.made[owner]

    def _is_abstract(self, owner: str) -> bool:
        """Whether a method of the class does nothing but raise NotImplementedError, so that instances of its children are needed."""
        bodies = [pair.source.body for name, pair in self.pairs.items() if name.rpartition(".")[0] == owner]
        return any(isinstance(body[-1], ast.Raise) and ABSTRACT in ast.unparse(body[-1]) for body in bodies)

    def _children(self, owner: str) -> list[str]:
        """The classes of the file that inherit from a class, and have methods of their own."""
        here = [(name, about) for (file, name), about in self.original.described.items() if file == self.file]
        return [name for name, about in here if owner in about.bases and not self._is_abstract(name)]

    def learn(self, method: str, calls: Sequence[tuple[Arguments, Outcome]], params: Sequence[str]) -> None:
        """Keep an instance that the method has changed once, and one that it has changed several times."""
        owner, _, name = method.rpartition(".")
        if owner not in self.made or name == "__init__" or self.counts.get(owner, 0) >= MOST_CHANGED:
            return
        for call, want in calls:
            if want.after is None or params[0] not in changed(call, want.after, params):
                continue
            if _is_usual(want.after.positional[0]) and self._keep(owner, want.after.positional[0]):
                self.counts[owner] = self.counts.get(owner, 0) + 1
                self._change_again(method, call, want.after)
                return

    def _change_again(self, method: str, call: Arguments, after: Arguments) -> None:
        """Keep the instance after more calls of the method: one that counts, or fills a buffer, has other cases then."""
        how = {"guarded": True, "seed": self.seed}
        for _ in range(MOST_AGAIN):
            again = arguments([after.positional[0], *call.positional[1:]], call.keywords)
            try:
                outcome = self.original.call(self.file, method, again, self.limit, how)
            except Ended:
                return
            if outcome.status != "returned" or outcome.after is None:
                return
            after = outcome.after
        if _is_usual(after.positional[0]):
            self._keep(method.rpartition(".")[0], after.positional[0])

    def _keep(self, owner: str, found: Snapshot) -> bool:
        """Whether an instance can be passed to both versions: it is kept then."""
        if not isinstance(found, Node) or found.kind not in ("object", "namedtuple"):
            self.reasons[owner] = "its constructor returns something else"
            return False
        if why := obstacle(found):
            self.reasons[owner] = f"it holds {why}"
            return False
        self.numbered += 1
        renumbered = _renumbered(found, APART * self.numbered)
        assert isinstance(renumbered, Node)
        self.made.setdefault(owner, []).insert(0, renumbered)
        return True

    def _constructed(self, owner: str) -> list[Node]:
        about = self.original.described.get((self.file, owner), Description(missing=True))
        self.reasons[owner] = about.error or "the class is not there after the module is imported"
        if about.missing or about.error or about.kind:
            return []
        pair, about = self._constructor(owner, about)
        made = argument_forms(pair, about, self.original)
        if isinstance(made, str):
            self.reasons[owner] = made
            return []
        found = Search(self.original, self.file, owner, made.by_name, self.seed, self.limit)
        found.run(made.forms)
        self.reasons[owner] = found.reason
        outcomes = [outcome for _, outcome in found.accepted]
        modes = choices(found.models[0], self.seed, made.by_name) if found.models else iter(())
        how = {"guarded": True, "seed": self.seed}
        try:
            outcomes += [self.original.call(self.file, owner, call, self.limit, how) for call in itertools.islice(modes, MOST)]
        except Ended:
            self.reasons[owner] = "its constructor does not end"
        self.made[owner] = []
        for outcome in outcomes[:MOST][::-1]:  # the usual one comes first in the end
            if outcome.status == "returned":
                self._keep(owner, outcome.result)
        return self.made[owner]

    def _constructor(self, owner: str, about: Description) -> tuple[FunctionPair, Description]:
        """The class as a function that returns an instance, with what is known of its `__init__`."""
        init = self.pairs.get(f"{owner}.__init__")
        anyone = next(pair for name, pair in self.pairs.items() if name.rpartition(".")[0] == owner)
        if init is None:
            assert isinstance(NO_INIT, ast.FunctionDef)
            return replace(anyone, name=owner, source=NO_INIT, contract=replace(anyone.contract, returns=(), kinds={})), about
        told = self.original.described.get((self.file, init.name), about).doc
        return replace(init, name=owner), replace(about, doc=f"{told}\n{about.doc}")


def _is_usual(part: Snapshot) -> bool:
    """Whether all numbers in it are finite and real: what a method made of NaN says little about the others."""
    arrays = [one.data for one in walk(part) if isinstance(one, Array)]
    return all(data.dtype.kind != "c" and (data.dtype.kind != "f" or bool(np.isfinite(data).all())) for data in arrays)


def _renumbered(part: Snapshot, more: int) -> Snapshot:
    """The snapshot with higher numbers for what occurs several times."""
    if isinstance(part, Array):
        return replace(part, ident=part.ident + more) if part.ident else part
    if isinstance(part, Node):
        items = tuple(_renumbered(item, more) for item in part.items)
        return replace(part, items=items, ident=part.ident + more if part.ident else 0)
    return part
