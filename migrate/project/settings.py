"""The settings in `[tool.np2jax]` of pyproject.toml, combined with the command line."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Collection, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

from .failure import Failure

PRECISIONS = ("float64", "float32")
RANDOM = ("keys", "host")
TRIP_COUNTS = ("dynamic", "static")
PLACEMENT = ("fast", "device")
VERSION = re.compile(r"\d+(\.\d+)*")


class Settings(NamedTuple):
    """The settings in pyproject.toml; `base` is its folder, None without such a file.

    The field names are the keys, which may also be written with hyphens: `trip-counts`.
    """

    precision: str = "float64"
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    public: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    unsafe: bool = False
    random: str = "keys"
    trip_counts: str = "dynamic"
    placement: str = "fast"
    extend_select: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()  # patterns, with codes
    target_jax: str = ""  # a version
    base: Path | None = None


TEXT, TEXTS, SWITCH = "a string", "a list of strings", "true or false"
TABLE = 'a table of lists of strings, such as "tests/*" = ["NJ1"]'
KEYS = {
    "precision": TEXT,
    "select": TEXTS,
    "ignore": TEXTS,
    "public": TEXTS,
    "exclude": TEXTS,
    "unsafe": SWITCH,
    "random": TEXT,
    "trip_counts": TEXT,
    "placement": TEXT,
    "extend_select": TEXTS,
    "per_file_ignores": TABLE,
    "target_jax": TEXT,
}
CHOICES = {
    "precision": PRECISIONS,
    "random": RANDOM,
    "trip_counts": TRIP_COUNTS,
    "placement": PLACEMENT,
}  # the first is the default


def load(paths: Sequence[Path]) -> Settings:
    """The settings for the given paths: those of the nearest pyproject.toml, at or above all of them, that has such a table.

    Raises Failure for invalid TOML, an unknown key and a value of the wrong type.
    """
    folder = Path(os.path.commonpath([os.path.abspath(path) for path in paths]))
    for location in (folder, *folder.parents):
        file = location / "pyproject.toml"
        if file.is_file() and b"np2jax" in (data := file.read_bytes()) and (table := _table(file, data)) is not None:
            return parse(table, file)
    return Settings()


def read(file: Path) -> Settings:
    """The settings in a file that the user names, with paths relative to the current folder.

    Raises Failure for a file that cannot be read, or has no such table.
    """
    try:
        data = file.read_bytes()
    except OSError as error:
        raise Failure(f"{file}: cannot be read ({error.strerror})") from error
    table = _table(file, data)
    if table is None:
        raise Failure(f"{file}: has no [tool.np2jax]")
    return parse(table, file)._replace(base=Path.cwd())


def _table(file: Path, data: bytes) -> Any:
    import tomllib

    try:
        content = tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Failure(f"{file}: not valid TOML ({error})") from error
    tool = content.get("tool", {})
    return tool.get("np2jax") if isinstance(tool, dict) else None


def parse(table: Any, file: Path) -> Settings:
    """The settings in a `[tool.np2jax]` table. Raises Failure for an unknown key and a value of the wrong type."""
    if not isinstance(table, dict):
        raise Failure(f"{file}: [tool.np2jax] is not a table")
    values: dict[str, Any] = {}
    names = [key.replace("_", "-") for key in KEYS]
    for written, value in table.items():
        key = written.replace("-", "_")
        if key == "turns" and isinstance(value, str):
            key, value = "trip_counts", renamed_trip_counts(value, f"{file}: `turns` in [tool.np2jax]")
        if key not in KEYS:
            raise Failure(f"{file}: unknown key `{written}` in [tool.np2jax]{suggestion(written.replace('_', '-'), names)}")
        if not _is(KEYS[key], value):
            raise Failure(f"{file}: `{written}` in [tool.np2jax] must be {KEYS[key]}")
        values[key] = _plain(value)
    for key, choices in CHOICES.items():
        if values.get(key, choices[0]) not in choices:
            name = key.replace("_", "-")
            raise Failure(f"{file}: `{name}` in [tool.np2jax] must be {' or '.join(choices)}, not {values[key]!r}")
    check_version(values.get("target_jax", ""), f"{file}: `target-jax` in [tool.np2jax]")
    return Settings(**values, base=file.parent)


def renamed_trip_counts(value: str, where: str) -> str:
    """The value of `trip_counts` for a value of the old setting `turns`, with a warning. Version 0.2 drops the old name."""
    new = {"traced": "dynamic"}.get(value, value)
    warnings.warn(f'{where} is called trip-counts now, with the value "{new}"; version 0.2 drops the old name', FutureWarning, 3)
    return new


def check_version(version: str, where: str) -> None:
    """Raises Failure for what is no version, such as "0.4.30"; "" stands for none."""
    if version and not VERSION.fullmatch(version):
        raise Failure(f"{where} must be a version such as 0.4.30, not {version!r}")


def rule_codes(asked: Sequence[str], known: Collection[str], where: str) -> tuple[str, ...]:
    """The rule codes selected by codes and families: "NJ201", or "NJ2" for every code with that prefix.

    Raises Failure for a code that matches no rule; the message names `where` the code was given.
    """
    codes: list[str] = []
    for code in asked:
        meant = [name for name in sorted(known) if name == code or (len(code) > 2 and name.startswith(code))]
        if not meant:
            raise Failure(f"{where}: unknown rule code `{code}`{suggestion(code.upper(), known)}; `np2jax rules` lists them")
        codes += meant
    return tuple(dict.fromkeys(codes))


def suggestion(word: str, known: Collection[str]) -> str:
    """The closest known name, as the end of a sentence, or "". Of those equally close, the one that begins like the word."""
    from difflib import SequenceMatcher, get_close_matches

    def closeness(name: str) -> tuple[float, int]:
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(name, word, strict=False)))
        return SequenceMatcher(None, name, word).ratio(), same

    near = get_close_matches(word, list(known), n=10)
    return f"; did you mean `{max(near, key=closeness)}`?" if near else ""


def _plain(value: Any) -> Any:
    """A value that can be hashed."""
    if isinstance(value, dict):
        return tuple((key, _plain(item)) for key, item in value.items())
    return tuple(value) if isinstance(value, list) else value


def _is(kind: str, value: Any) -> bool:
    if kind == TABLE:
        return isinstance(value, dict) and all(_is(TEXTS, item) for item in value.values())
    if kind == TEXTS:
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    return isinstance(value, str if kind == TEXT else bool)
