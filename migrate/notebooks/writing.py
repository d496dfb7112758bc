"""A notebook with other code, written as Jupyter writes it."""

from __future__ import annotations

from .cells import split
from .contents import NotebookError, code_cells, hidden_cells, read
from .magics import show


def with_code(data: bytes, text: str) -> bytes:
    """The notebook with other code, made from what `code` returned. Cells that change lose their outputs.

    Raises NotebookError where the cells cannot be told apart any more.
    """
    from nbformat import v4

    notebook = read(data)
    cells = code_cells(notebook)
    hidden = hidden_cells(cells)
    magics = [magic for each in hidden for magic in each.magics]
    before = [each.text for each in hidden]
    try:
        after = [show(new, magics) if new != old else None for new, old in zip(split(text, before), before, strict=True)]
    except ValueError as error:
        raise NotebookError(str(error)) from None
    for cell, new in zip(cells, after, strict=True):
        if new is not None:
            cell["source"] = new
            cell["outputs"], cell["execution_count"] = [], None
    written: str = v4.writes_json(notebook)  # type: ignore[no-untyped-call]
    return (written.removesuffix("\n") + "\n").encode()
