"""The formats of one document."""

from __future__ import annotations

import json
from collections.abc import Callable

from . import html
from .document import Document
from .formats import Renders


def verification_reports(document: Callable[[], Document], markdown: Callable[[], str]) -> Renders:
    """What makes each format. `document` is made once a format asks for it."""
    return {
        "html": lambda: html.render(document()),
        "json": lambda: json.dumps(document().data, indent=1) + "\n",
        "markdown": markdown,
    }
