"""The child process that runs the functions of one tree. It answers messages on two pipes, whatever user code does."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import inspect
import io
import os
import random
import signal
import struct
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from ..draws import jax_draws, numpy_generators
from ..draws.tape import TAPE, TOO_MANY
from ..draws.tape_snapshot import from_node, to_node
from ..values.calls import STOPPED, Arguments
from ..values.rounding_noise import RoundingNoise
from ..values.serialization import pack, unpack
from ..values.snapshot import Array, Freezer, Node, walk
from . import side_effect_guard
from .deliberate_errors import is_deliberate
from .execution import as_jax, as_numpy, jax64, marked_memory, perform, set_jax64
from .keys import key_for, with_keys
from .line_trace import LineTrace, given_numbers
from .messages import Messages
from .modules import Tree, access, kind_of, resolve
from .statement_trace import StatementTrace

Message = dict[str, Any]
MOST_SEEDS = 16  # generators of a call whose seeds are compared
MOST_PRINTED = 1 << 16  # characters of what a call prints


def main(argv: list[str], kind: Callable[[Message], Worker] | None = None) -> None:
    """Serve until the parent closes its end. `argv`: the file descriptors to read from and to write to; `kind`: of the worker."""
    _end_with_parent()
    reading, writing = (_out_of_the_way(int(number)) for number in argv)
    with open(os.devnull, "wb") as null:
        os.dup2(null.fileno(), 2)  # until here, stderr reports why the process could not start
    sys.argv = [""]  # a function call is not a command line: no arguments
    worker: Worker | None = None
    own = os.getpid()
    while (message := _receive(reading)) is not None:
        if worker is None:
            worker = (kind or Worker)(message)
            reply: Message = worker.hello()
        else:
            reply = getattr(worker, f"do_{message['op']}")(message)
        if os.getpid() != own:
            os._exit(0)  # a child forked by user code returned: it must not answer, too
        _send(writing, pack(reply | {"processor": time.process_time()}))
    os._exit(0)  # threads left running by user code do not keep the process alive


def _out_of_the_way(descriptor: int) -> int:
    """Duplicate the pipe to a high file descriptor, out of reach of user code that closes or reuses low ones."""
    high = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 500)
    os.close(descriptor)
    return high


def _receive(descriptor: int) -> Message | None:
    head = _read(descriptor, 8)
    return unpack(_read(descriptor, struct.unpack(">Q", head)[0])) if len(head) == 8 else None


def _read(descriptor: int, count: int) -> bytes:
    data = bytearray()
    while len(data) < count and (part := os.read(descriptor, count - len(data))):
        data += part
    return bytes(data)


def _send(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


class Worker:
    """One tree in one process: the original with NumPy, or the converted one with JAX."""

    replays = True  # random draws are recorded and replayed

    def __init__(self, hello: Message) -> None:
        self.converted: bool = hello["converted"]
        self.precision: str = hello["precision"]
        self.tree = Tree(Path(hello["top"]), hello["modules"], hello["paths"])
        self.x64_by_us = False
        self.x64_at_start = False
        self.has_programs: bool = hello["has_programs"]
        self.packages: set[tuple[str, str]] = set()  # packages that had the opportunity to enable x64
        self.errors: dict[str, str] = {}
        self.streams = (sys.stdout, sys.stderr, sys.stdin)
        self.numpy_errors = np.geterr()
        self.messages = Messages(self.tree.relative)
        if self.replays:
            numpy_generators.install()
            self.messages.install()
        TAPE.home = str(self.tree.top)

    def hello(self) -> Message:
        """The first answer: versions, and the platforms of the available devices."""
        versions = {"python": sys.version.split()[0], "numpy": np.__version__}
        if not self.converted:
            return {"versions": versions, "platforms": []}
        import jax

        if self.replays:
            jax_draws.install(jax.random)
        self.x64_at_start = jax64()
        platforms = [device.platform for device in jax.devices()]
        with contextlib.suppress(RuntimeError):
            platforms += [device.platform for device in jax.devices("cpu")]
        return {"versions": versions | {"jax": jax.__version__}, "platforms": list(dict.fromkeys(platforms))}

    def do_import(self, message: Message) -> Message:
        """Import one file and describe the requested functions."""
        file = message["file"]
        TAPE.begin_import([base for node in message["snapshots"].values() for base in from_node(node)], self.converted)
        before = list(sys.modules.values())
        if error := self._import(file):
            return {"error": error}
        module = self.tree.load(file)
        numpy_generators.remember()
        return {
            "error": "",
            **self._drawn_on_import(before),
            "x64_by_us": self.x64_by_us,
            "functions": {name: self._describe(module, name) for name in message["names"]},
        }

    def _drawn_on_import(self, before: Sequence[ModuleType]) -> Message:
        """The draws of the modules that were imported now, not `before`; or how they differ from the original's."""
        if not self.converted:
            return {"snapshots": {"tape": to_node(TAPE)}, "error": TOO_MANY if TAPE.full else ""}
        known = set(map(id, before))
        return {"trouble": TAPE.finish({self.tree.file_of(one) for one in list(sys.modules.values()) if id(one) not in known})}

    def _import(self, file: str) -> str:
        """Import a module. Returns the error as one line. Enables x64 here if the converted code has no place to do so.

        A package does so in its __init__, and a tree with programs in the programs, before they import the rest.
        """
        if file in self.errors:
            return self.errors[file]
        self._restore()
        self._seed(0)
        try:
            if self.converted and self.precision == "float64":
                self._enable_x64(file)
            self.tree.load(file)
            error = ""
        except BaseException as problem:
            error = self._line(problem)
        self.errors[file] = error
        return error

    def _enable_x64(self, file: str) -> None:
        root, name = self.tree.modules[file]
        package = name.partition(".")[0]
        init = next((path for path, where in self.tree.modules.items() if tuple(where) == (root, package)), "")
        if not self.has_programs and init.endswith("__init__.py") and (root, package) not in self.packages:
            self.packages.add((root, package))
            set_jax64(self.x64_at_start)
            self.tree.load(init)
            self.x64_by_us = self.x64_by_us or not jax64()
        set_jax64(True)

    def _describe(self, module: Any, name: str) -> Message:
        try:
            function = resolve(module, name)
        except AttributeError:
            return {"missing": True}
        last = name.rpartition(".")[2]
        inherited = function is getattr(object, last, None) and last not in ("__init__", "__new__")  # every class has an `__eq__`
        if inherited or not callable(function):
            return {"missing": True}
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError):
            return {"missing": False, "kind": "it has no signature", "params": [], "doc": ""}
        params = [
            {
                "name": param.name,
                "kind": param.kind.name,
                "annotation": "" if param.annotation is param.empty else _annotation(param.annotation),
                "default": param.default is not param.empty,
            }
            for param in signature.parameters.values()
        ]
        return {
            "missing": False,
            "kind": kind_of(inspect.unwrap(function)),
            "access": access(module, name),
            "params": params,
            "doc": inspect.getdoc(function) or "",
            "jitted": hasattr(function, "lower"),
            "bases": [base.__qualname__ for base in inspect.getmro(function)[1:]] if isinstance(function, type) else [],
        }

    def do_defaults(self, message: Message) -> Message:
        """The default values of a function's parameters."""
        signature = inspect.signature(resolve(self.tree.load(message["file"]), message["name"]))
        freezer = Freezer(self.tree.locate)
        found = {name: param.default for name, param in signature.parameters.items() if param.default is not param.empty}
        return {"snapshots": {name: freezer.take_snapshot(value) for name, value in found.items()}}

    def do_call(self, message: Message) -> Message:
        """Call a function with copies of the given arguments. The answer includes the arguments after the call."""
        self._restore()
        self._seed(message["seed"])
        node: Node = message["snapshots"]["arguments"]
        trace = self._trace(message)
        try:
            function = resolve(self.tree.load(message["file"]), message["name"], setter=_count(node) == 2)
            if self.converted:
                function = with_keys(function, Arguments(node))
            self._begin_draws(message)
            with self._device(message) as array, contextlib.redirect_stdout(io.StringIO()) as printed:
                outcome = perform(
                    function,
                    Arguments(node),
                    find=self._find,
                    locate=self.tree.locate,
                    array=array,
                    generator=key_for if message["keys"] else None,
                    messages=self.messages,
                    context=_both(self._context(message), trace.running()) if trace else self._context(message),
                )
                self._wait_for_callbacks()
            if side_effect_guard.stopped():
                raise side_effect_guard.Stopped(side_effect_guard.stopped())
            assert outcome.after is not None
            head = {"status": outcome.status, "seconds": outcome.seconds, "warned": outcome.warned, "shares": outcome.shares}
            head |= {"path": trace.found()} if trace else {}
            drawn = self._drawn(message)
            snapshots = {"result": outcome.result, "after": outcome.after.node, **_steps(trace), **drawn["snapshots"]}
            told = {"printed": printed.getvalue()[:MOST_PRINTED], "messages": outcome.messages[:MOST_PRINTED]}
            return head | drawn | told | {"snapshots": snapshots}
        except side_effect_guard.Stopped as problem:
            return {"status": "refused", "error": str(problem), "exception": STOPPED}
        except BaseException as problem:
            if side_effect_guard.stopped():
                return {"status": "refused", "error": side_effect_guard.stopped(), "exception": STOPPED}
            if any(words in str(problem) for words in jax_draws.UNORDERED):
                return {"status": "refused", "error": jax_draws.NO_ORDER}
            trouble = TAPE.trouble if self.converted else ""
            path = trace.found() if trace else {}
            about = {"line": self._reached(problem), "exception": type(problem).__name__}
            about["deliberate"] = is_deliberate(problem, self.tree.top)
            head = {"status": "raised", "error": self._line(problem), "trouble": trouble, "path": path}
            return head | about | {"snapshots": _steps(trace)}

    def _trace(self, message: Message) -> LineTrace | StatementTrace | RoundingNoise | None:
        """What follows the call line by line, if it is to be followed; it looks at operands in NumPy code only."""
        if message["statements"]:
            return StatementTrace(self.tree.relative, message["file"])
        if not message["traced"] and not message["noise"]:
            return None
        numbers = given_numbers(walk(message["snapshots"]["arguments"]))
        if message["noise"]:
            return RoundingNoise(self.tree.relative, numbers, message["constants"], message["noise"], message["noise_everywhere"])
        return LineTrace(
            self.tree.relative, self.tree.top, numbers, message["constants"], message["sides"] and not self.converted
        )

    def _context(self, message: Message) -> contextlib.AbstractContextManager[Any]:
        """The context of the call: guarded, without jit, or with the check for key reuse."""
        if message["guarded"]:
            return (
                _both(side_effect_guard.watched(), marked_memory(message["marked"]))
                if message["marked"]
                else side_effect_guard.watched()
            )
        watched = side_effect_guard.watched(self.tree.relative)
        if not message["eager"] and not message["reuse"]:
            return watched
        import jax

        return _both(
            watched,
            jax.disable_jit() if message["eager"] else contextlib.nullcontext(),
            jax.debug_key_reuse(True) if message["reuse"] else contextlib.nullcontext(),
        )

    def _wait_for_callbacks(self) -> None:
        """Wait for the draws and the printed text of compiled code."""
        if self.converted:
            import jax

            jax.effects_barrier()  # type: ignore[no-untyped-call,unused-ignore]

    def _begin_draws(self, message: Message) -> None:
        """Record the draws of the original; the converted function replays them, or draws by itself."""
        if message["reuse"]:
            TAPE.stop()
        elif self.converted:
            TAPE.replay(from_node(message["snapshots"]["tape"]))
        else:
            TAPE.record()

    def _drawn(self, message: Message) -> Message:
        """The draws of the call, or how they differ from the original's."""
        if not self.converted:
            return {"snapshots": {"tape": to_node(TAPE)}}
        seeds = [(ours, *theirs) for ours, theirs in list(TAPE.seeds.items())[:MOST_SEEDS]]
        trouble = "" if message["reuse"] else TAPE.finish()
        return {"keys": bool(TAPE.used), "seeds": seeds, "trouble": trouble, "snapshots": {}}

    @contextlib.contextmanager
    def _device(self, message: Message) -> Iterator[Callable[[Array], Any]]:
        """The function that makes arrays: NumPy arrays, or JAX arrays on the requested device."""
        if not self.converted or message["arrays"] == "numpy":
            yield as_numpy
            return
        import jax

        device = jax.devices(message["platform"])[0] if message["platform"] else None
        with jax.default_device(device):
            yield as_jax

    def _find(self, name: str) -> Any:
        """Look up a name in the arguments; for the converted code, NumPy functions become those of jax.numpy."""
        module, _, qualname = name.partition(":")
        if self.converted and module.partition(".")[0] == "numpy" and not qualname.startswith(":"):
            found = self.tree.find(name)
            if not isinstance(found, type):
                import jax.numpy

                return getattr(jax.numpy, qualname, found)
            return found
        return self.tree.find(name)

    def _seed(self, seed: int) -> None:
        numpy_generators.go_back()
        random.seed(seed)
        np.random.seed(seed)

    def _restore(self) -> None:
        """Undo process-wide changes of an earlier call."""
        os.chdir(self.tree.top / (self.tree.root or ""))
        sys.stdout, sys.stderr, sys.stdin = self.streams
        np.seterr(**self.numpy_errors)
        signal.alarm(0)

    def _reached(self, problem: BaseException) -> int:
        """The line of the called function that raised."""
        frames = (frame for frame in traceback.extract_tb(problem.__traceback__) if frame.filename.startswith(str(self.tree.top)))
        return next((frame.lineno or 0 for frame in frames), 0)

    def _line(self, problem: BaseException) -> str:
        """The exception in one line, with its location in the tree."""
        text = " ".join(str(problem).split())
        frames = [frame for frame in traceback.extract_tb(problem.__traceback__) if frame.filename.startswith(str(self.tree.top))]
        position = (
            f" ({Path(frames[-1].filename).relative_to(self.tree.top).as_posix()}, line {frames[-1].lineno})" if frames else ""
        )
        return f"{type(problem).__name__}{': ' if text else ''}{text[:300]}{position}"


def _steps(trace: LineTrace | StatementTrace | RoundingNoise | None) -> Message:
    return {"steps": trace.node()} if isinstance(trace, StatementTrace) else {}


@contextlib.contextmanager
def _both(*contexts: contextlib.AbstractContextManager[None]) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        for context in contexts:
            stack.enter_context(context)
        yield


def _count(call: Node) -> int:
    """The number of positional arguments of a call."""
    positional = call.items[0]
    return len(positional.items) if isinstance(positional, Node) else 0


def _annotation(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _end_with_parent() -> None:
    """Let the kernel end this process when the parent dies, so that no orphan keeps a device busy."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
