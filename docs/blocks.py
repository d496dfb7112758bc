"""The generated blocks of docs/architecture.md: the picture of the layers, the table of the passes, and what `--dump-after` prints about walkthrough.py."""

from __future__ import annotations

import re
from pathlib import Path

from np2jax.migrate.project.outcome import Options, ProjectFile
from np2jax.migrate.project.passes import BY_NAME, NAMES, PASSES, STATISTICS
from np2jax.migrate.project.pipeline import dump_files

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
BLOCK = re.compile(r"(<!-- (layers|passes|dump: ([\w-]+)) -->\n)(.*?)(<!-- end -->)", re.S)
MODULES = re.compile(r"^\s*from (\.+)([\w.]*) import ([\w, ]+)", re.M)


def architecture(page: str) -> str:
    """The page with its blocks made anew."""
    makers = {"layers": layers, "passes": passes}
    return BLOCK.sub(lambda found: found[1] + (dumped(found[3]) if found[3] else makers[found[2]]()) + found[5], page)


def dumped(name: str) -> str:
    """What `np2jax convert --dump-after NAME docs/walkthrough.py` prints, without its first line, which names the file."""
    file = ProjectFile(HERE / "walkthrough.py", "walkthrough", (HERE / "walkthrough.py").read_bytes())
    text, errors = dump_files([file], Options(), [name])
    assert not errors and name in {*NAMES, STATISTICS}, name
    code = name != STATISTICS and BY_NAME[name].shows == "code"
    return f"```{'python' if code else 'text'}\n" + text.partition("\n")[2].rstrip() + "\n```\n"


def passes() -> str:
    """The passes in order, as a table."""
    rows = [f"| `{each.name}` | {each.about} | {', '.join(each.reads)} | {each.makes} |" for each in PASSES]
    return "\n".join(["| pass | what it does | reads | makes |", "|---|---|---|---|", *rows]) + "\n"


def layers() -> str:
    """A Mermaid picture of the folders of `migrate` and `rules`: an arrow for each import that no longer path stands for."""
    modules = [path for part in ("rules", "migrate") for path in (ROOT / part).rglob("*.py") if path.name != "__init__.py"]
    folders = {str(path.parent.relative_to(ROOT)): path.parent for path in modules}
    below = {name: imported(folder, name, folders) for name, folder in folders.items()}
    reached = {name: reachable(name, below) for name in below}
    lines = ["```mermaid", "flowchart BT"]
    for part in ("rules", "migrate"):
        lines.append(f"    subgraph {part}")
        lines += (
            f"        {name.replace('/', '.')}[{name.partition('/')[2]}]" for name in sorted(below) if name.startswith(f"{part}/")
        )
        lines.append("    end")
    for name, others in sorted(below.items()):
        direct = {other for other in others if not any(other in reached[via] for via in others - {other})}
        same = sorted(other for other in direct if other.partition("/")[0] == name.partition("/")[0])
        lines += (f"    {name.replace('/', '.')} --> {other.replace('/', '.')}" for other in same)
    return "\n".join([*lines, "    migrate --> rules", "```\n"])


def imported(folder: Path, name: str, folders: dict[str, Path]) -> set[str]:
    """The other folders from which the modules of a folder import."""
    found = set()
    for path in folder.glob("*.py"):
        for dots, module, names in MODULES.findall(path.read_text()):
            base = path.parent
            for _dot in dots[1:]:
                base = base.parent
            base = base.joinpath(*filter(None, module.split(".")))
            targets = [base / one.split(" as ")[0].strip() for one in names.split(",")] if base.is_dir() else [base]
            for target in targets:
                place = target if target.is_dir() else target.parent
                if (ROOT in place.parents) and (other := str(place.relative_to(ROOT))) in folders:
                    found.add(other)
    return found - {name}


def reachable(start: str, below: dict[str, set[str]]) -> set[str]:
    found, work = set[str](), [start]
    while work:
        new = below[work.pop()] - found
        found |= new
        work += new
    return found
