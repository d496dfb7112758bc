"""The entry point of a child process: loads np2jax from the location of this file, whatever the user's import path contains.

It is run by path, never imported: `python -P boot.py serve|time|observe|replay ...`.
"""

import importlib.util
import sys
from pathlib import Path


def load_package(name: str) -> None:
    """Import the package that contains this file as `name` without adding its folder to the import path."""
    root = Path(__file__).parents[2]
    spec = importlib.util.spec_from_file_location(name, root / "__init__.py", submodule_search_locations=[str(root)])
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)


if __name__ == "__main__":
    load_package("np2jax")
    jobs = {"serve": "worker", "time": "timing_worker", "observe": "recording_process", "replay": "replay_process"}
    name = jobs[sys.argv[1]]
    job = importlib.import_module(f"np2jax.runtime_shim.sandbox.{name}")
    job.main(sys.argv[2:])
