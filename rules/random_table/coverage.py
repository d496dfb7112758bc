"""The section of docs/coverage.md on numpy.random, generated from the table."""

from __future__ import annotations

from collections.abc import Mapping

from ..facts.draw import Draw

_TITLES = {"module": "functions of numpy.random", "RandomState": "methods of RandomState", "Generator": "methods of Generator"}


def page(apis: Mapping[str, Mapping[str, Draw]]) -> str:
    """Markdown: how many draws become expressions of jax.random, and the sources of those that it lacks."""
    lines = [
        "## numpy.random",
        "",
        "Draws become expressions of `jax.random` with the same distribution; a test compares samples of both. What handles the state",
        "of a generator becomes the handling of keys (`seed`, `default_rng`), or leaves the function that needs it as NumPy.",
        "",
        "All draws do:",
        "",
        "| | draws |",
        "|---|---:|",
    ]
    for api, names in apis.items():
        draws = {name: draw for name, draw in names.items() if not draw.state}
        lines.append(f"| {_TITLES[api]} | {len(draws)} |")
    written = sorted({(name, draw.source) for names in apis.values() for name, draw in names.items() if draw.source})
    lines += ["", "Written out, because `jax.random` has no such function:", ""]
    lines += [f"- `{name}`: {source}." for name, source in written]
    return "\n".join([*lines, ""])
