"""How often each rule for JAX code reports something in well-kept code, for docs/precision.md.

usage: python benchmarks/lint_precision.py FOLDER...   (one folder for each project)
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path

from np2jax.migrate.project.discovery import discover
from np2jax.migrate.tracing.linter import JaxSource, chosen, findings, imports_jax


def main(folders: list[str]) -> None:
    total, lines, files, start = Counter[str](), 0, 0, time.perf_counter()
    for folder in folders:
        project = discover([Path(folder)])
        every = [JaxSource(str(file.path), file.module, file.path.name == "__init__.py", file.data) for file in project.files]
        sources = [source for source in every if imports_jax(source.data)]
        others = [source for source in every if not imports_jax(source.data)]
        found = [diagnostic for each in findings(sources, chosen((), ()), others).values() for diagnostic in each]
        for diagnostic in sorted(found, key=lambda item: (item.code, item.path, item.line)):
            print(f"{diagnostic.path}:{diagnostic.line}: {diagnostic.code} {diagnostic.message}")
        total.update(diagnostic.code for diagnostic in found)
        lines += sum(source.data.count(b"\n") for source in sources)
        files += len(sources)
    print(f"{files} files, {lines} lines, {time.perf_counter() - start:.1f} s")
    for code, count in sorted(total.items()):
        print(f"{code}  {count}")


if __name__ == "__main__":
    main(sys.argv[1:])
