"""The formats of one document."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from . import html, junit, pull_request, sarif
from .document import Document
from .formats import Renders


def verification_reports(
    document: Callable[[], Document], markdown: Callable[[], str], base: Mapping[str, Any] | None = None
) -> Renders:
    """What makes each format. `document` is made once a format asks for it. `base`: the report that the Markdown is against."""
    return {
        "html": lambda: html.render(document()),
        "json": lambda: json.dumps(document().data, indent=1) + "\n",
        "junit": lambda: junit.render(document()),
        "markdown": markdown if base is None else lambda: pull_request.render(document(), base),
        "sarif": lambda: sarif.render(document()),
    }
