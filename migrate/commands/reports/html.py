"""A page of HTML that needs nothing else: no network, no other file."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ...project.failure import Failure
from .document import BAD, VERDICTS, Document
from .source_pairs import SourcePair, source_pairs
from .text import visible

TEMPLATES = Path(__file__).with_name("templates")
SIGNS = {"differs": "✗", "error in converted": "!", "not compared": "?", "not run": "·", "accepted": "≈", "agrees": "✓"}
# What the page shows of a function once it is opened.
DETAILS = (
    "reason",
    "needs",
    "call",
    "where",
    "original",
    "converted",
    "parting",
    "notes",
    "label_reason",
    "conditions",
    "findings",
)


def require_jinja() -> None:
    """Raises Failure unless Jinja2, which makes the page, is installed."""
    if find_spec("jinja2") is None:
        raise Failure("a report in HTML needs Jinja2: pip install 'np2jax[report]'")


def render(document: Document) -> str:
    """The page. Raises Failure if Jinja2 is not installed."""
    require_jinja()
    import jinja2
    from markupsafe import Markup

    loader = jinja2.FileSystemLoader(TEMPLATES)
    environment = jinja2.Environment(
        loader=loader,
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # The browser runs no other script and loads nothing, whatever the names and sources of the project contain.
    script, style = (TEMPLATES.joinpath(name).read_text(encoding="utf-8") for name in ("report.js", "report.css"))
    functions = document.functions
    data = document.data
    return environment.get_template("report.html.j2").render(
        document=document,
        data=data,
        functions=functions,
        programs=sorted(data["programs"], key=lambda one: (VERDICTS.index(one["verdict"]), one["file"])),
        notes=list(data.get("notes", ())),
        compared=_compared(data.get("compared")),
        signs=SIGNS,
        bad=BAD,
        script=Markup(script),
        style=Markup(style),
        digests={"script": _digest(script), "style": _digest(style)},
        details=Markup(_packed(_details(document, functions))),
    )


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _packed(details: Any) -> str:
    """Data for the script of the page: compressed, as the sources of thousands of functions are long, and free of markup."""
    text = json.dumps(details, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode("utf-8", "backslashreplace"), 9, mtime=0)).decode()


def _compared(compared: Mapping[str, Any] | None) -> str:
    """How much was compared, in one line; "" if nothing was run or there are no functions."""
    if not compared or not compared["functions"]["total"]:
        return ""
    parts = [f"{compared[name]['done']} of {compared[name]['total']} {name}" for name in ("functions", "lines", "branches")]
    return f"Compared: {', '.join(parts)} of the original ({compared['share']:.0f}% of its lines and branches)."


def _details(document: Document, functions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    files = {file: source_pairs(*both) for file, both in document.sources.items()}
    unreached = document.data.get("compared", {}).get("unreached", {})
    found = []
    for one in functions:
        shown = {name: _visible_in(one[name]) for name in DETAILS if one.get(name)}
        if one.get("test"):
            shown["test"] = "\n".join(map(visible_code, one["test"].splitlines()))
        pairs = files.get(one["file"], {})
        if pair := _own(pairs, one["name"]):
            shown |= _lines(pair, unreached.get(one["file"], ()))
        found.append(shown)
    return found


def _own(pairs: Mapping[str, SourcePair], name: str) -> SourcePair | None:
    """The pair of a function by its qualified name "pkg.mod.C.m": the longest end of it that the file knows."""
    parts = name.split(".")
    ends = (".".join(parts[start:]) for start in range(len(parts)))
    return next((pairs[end] for end in ends if end in pairs), None)


def _lines(pair: SourcePair, unreached: Any) -> dict[str, Any]:
    start = pair.first[0]
    inside = [line for line in unreached if start <= line < start + len(pair.original)]
    texts = [list(map(visible_code, lines)) for lines in (pair.original, pair.converted)]
    return {"sources": texts, "first": pair.first, "equal": pair.equal, **({"unreached": inside} if inside else {})}


def visible_code(line: str) -> str:
    """A line of code, with tabs as spaces."""
    return visible(line.expandtabs(8))


def _visible_in(value: Any) -> Any:
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Mapping):
        return {key: _visible_in(item) for key, item in value.items()}
    return [_visible_in(item) for item in value] if isinstance(value, list | tuple) else value
