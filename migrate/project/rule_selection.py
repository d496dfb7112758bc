"""Which rules run: what the settings and the command line select and ignore, by codes and by families of codes."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from .outcome import Options, RuleChoice
from .settings import rule_codes

NAMES = {"select": "select", "extend_select": "extend-select", "ignore": "ignore"}


class Selected(NamedTuple):
    """Codes that run, and those of them that were asked for by `select`, None if nothing was."""

    running: frozenset[str]
    asked: frozenset[str] | None = None


def resolve(options: Options) -> Options:
    """The options with the choices of rules settled. Raises Failure for an unknown code."""
    ignored = [code for _pattern, codes in options.per_file_ignores for code in codes]
    if not ignored and not any(any(choice) for choice in options.choices):
        return options
    from ...rules.core.refusals import every_code

    known = every_code()
    rule_codes(ignored, known, "per-file-ignores")
    default = frozenset(known) - _off()
    state = Selected(default)
    for choice in options.choices:
        state = chosen(state, choice, default, known)
    if state.asked is None:
        ignore, extend = default - state.running, state.running - default
        return options._replace(choices=(), ignore=tuple(sorted(ignore)), extend=tuple(sorted(extend)))
    select = tuple(sorted(state.asked))
    return options._replace(choices=(), select=select, ignore=tuple(sorted(state.asked - state.running)))


def chosen(state: Selected, choice: RuleChoice, default: frozenset[str], known: Collection[str]) -> Selected:
    """The rules after one more choice. The more specific of two families that name a rule wins, and `ignore` if both are equal.

    `select` starts anew; `extend-select` and `ignore` alone change what was chosen before.
    """
    on, off = dict[str, int](), dict[str, int]()
    for name, lengths in (("select", on), ("extend_select", on), ("ignore", off)):
        for code in getattr(choice, name):
            for meant in rule_codes([code], known, NAMES[name]):
                lengths[meant] = max(lengths.get(meant, 0), len(code))
    enabled = {code for code, length in on.items() if length > off.get(code, 0)}
    disabled = off.keys() - enabled
    if choice.select:
        return Selected(frozenset(enabled), frozenset(on))
    asked = None if state.asked is None else state.asked | on.keys()
    return Selected((state.running | enabled) - disabled, asked)


def running(options: Options) -> frozenset[str]:
    """The codes that a run with these options may report. Raises Failure for an unknown code."""
    from ...rules.core.refusals import every_code

    settled = resolve(options)
    asked = frozenset(settled.select) or (frozenset(every_code()) - _off()).union(settled.extend)
    return asked - frozenset(settled.ignore)


def _off() -> frozenset[str]:
    """The rules that run only if they are asked for."""
    from ...rules.core.lint_rules import lint_rules

    return frozenset(code for code, rule in lint_rules().items() if not rule.default)
