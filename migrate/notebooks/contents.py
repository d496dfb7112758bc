"""What is in the file of a notebook, read by nbformat, which keeps what it does not know."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple

from .cells import join
from .magics import WORD, Hidden, hide, imported

SUFFIX = ".ipynb"
PYTHON = ("python", "ipython", "python3")


class NotebookError(ValueError):
    """A file that is no notebook of Python: a message of one line."""


class OtherLanguage(NotebookError):
    """A notebook, but not of Python."""


def installed() -> bool:
    """Whether the library that reads notebooks is there."""
    return find_spec("nbformat") is not None


class Code(NamedTuple):
    """The code cells of a notebook as one text of Python, and the words in its magics, which may be functions that they call.
    Questions call nothing."""

    text: str
    words: frozenset[str]


def code(data: bytes) -> Code:
    """The code of a notebook. Raises NotebookError for a file that is no notebook of Python."""
    try:
        hidden = hidden_cells(code_cells(read(data)))
        words = frozenset(word for each in hidden for magic in each.magics if "?" not in magic for word in WORD.findall(magic))
        return Code(join([each.text for each in hidden]), words)
    except NotebookError:
        raise
    except ValueError as error:
        raise NotebookError(str(error)) from None


def read(data: bytes) -> Any:
    """A notebook of Python as nbformat has it. Raises NotebookError for a file that is none."""
    import nbformat
    from nbformat import reader

    try:
        with warnings.catch_warnings():  # old notebooks have cells without an identity: they keep none
            warnings.simplefilter("ignore")
            notebook = reader.reads(data.decode())  # type: ignore[no-untyped-call]
            if "nbformat" not in notebook:
                raise NotebookError("not a notebook, though it is JSON")
            version, _ = reader.get_version(notebook)  # type: ignore[no-untyped-call]
            if version != nbformat.current_nbformat:
                raise NotebookError(f"a notebook of version {version}; `jupyter nbconvert --to notebook` makes it a new one")
            if not _usable(notebook):
                nbformat.validate(copy.deepcopy(notebook))
                raise NotebookError("not a notebook, though it is JSON")
    except UnicodeDecodeError:
        raise NotebookError("not a notebook, as it is not UTF-8") from None
    except reader.NotJSONError:
        raise NotebookError("not a notebook, as it is not JSON") from None
    except nbformat.ValidationError as error:
        raise NotebookError(f"not a notebook: {str(error).partition(chr(10))[0]}") from None
    except (AttributeError, KeyError, TypeError, nbformat.NBFormatError) as error:  # JSON of another kind
        raise NotebookError("not a notebook, though it is JSON") from error
    language = _language(notebook["metadata"])
    if language not in PYTHON:
        raise OtherLanguage(f"a notebook of {language}, not of Python")
    return notebook


def _usable(notebook: Any) -> bool:
    """Whether it has what is needed here. Jupyter opens many notebooks that break its rules in something else."""
    cells = notebook.get("cells")
    return (
        isinstance(cells, list)
        and isinstance(notebook.get("metadata"), dict)
        and all(
            isinstance(cell, dict)
            and isinstance(cell.get("source"), str)
            and (
                cell.get("cell_type") in ("markdown", "raw")
                or (cell.get("cell_type") == "code" and isinstance(cell.get("outputs"), list))
            )
            for cell in cells
        )
    )


def _language(metadata: Any) -> str:
    known = metadata.get("language_info", {}).get("name") or metadata.get("kernelspec", {}).get("language") or "python"
    return str(known).lower()


def code_cells(notebook: Any) -> list[Any]:
    """Its code cells, which may be changed."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def hidden_cells(cells: Sequence[Any]) -> list[Hidden]:
    """The code cells as Python."""
    found = list[Hidden]()
    known = 0
    needed = frozenset[str]().union(*(imported(cell["source"]) for cell in cells))
    for cell in cells:
        found.append(hide(cell["source"], known, needed))
        known += len(found[-1].magics)
    return found
