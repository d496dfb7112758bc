"""The child process that runs a converted program with the random draws of the original."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from ..draws import jax_draws, numpy_generators
from ..draws.tape import TAPE
from ..draws.tape_snapshot import from_node
from ..values.serialization import split
from .recording_process import run


def main(argv: list[str]) -> None:
    """Run a program. `argv`: one JSON object with home, tape, report (a file for mismatches), kind, target and arguments."""
    task = json.loads(argv[0])
    (message,) = split(Path(task["tape"]).read_bytes())
    numpy_generators.install()
    np.random.seed(0)
    sys.meta_path.insert(0, _OnImport())
    TAPE.home = task["home"]
    TAPE.replay(from_node(message["snapshots"]["tape"]))
    trouble = ""
    try:
        run(task)
        _wait()
        trouble = TAPE.finish()
    finally:
        Path(task["report"]).write_text(json.dumps({"trouble": trouble or TAPE.trouble, "keys": bool(TAPE.used)}))


def _wait() -> None:
    """Wait until JAX has finished its asynchronous work: its callbacks draw."""
    if (jax := sys.modules.get("jax")) is not None:
        jax.effects_barrier()


class _OnImport:
    """Makes jax.random draw from the tape once it is imported. The program decides when, and sets JAX's options before."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The spec of jax.random, with a loader that patches it after loading."""
        if name != "jax.random":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def loaded(module: Any) -> None:
                load(module)
                jax_draws.install(module)

            spec.loader.exec_module = loaded  # type: ignore[method-assign]
        return spec
