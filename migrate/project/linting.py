"""The findings for a project: those of the conversion in NumPy code, those of the rules for JAX in code that is JAX already."""

from __future__ import annotations

from collections.abc import Sequence

from ...rules.core.diagnostic import Diagnostic
from ...rules.core.lint_rules import lint_rules
from ..tracing.linter import JaxSource, chosen, imports_jax
from ..tracing.linter import findings as findings_in_jax
from .discovery import Project, mentions_numpy
from .driver import analyse
from .outcome import Conversion, Options, ProjectFile

COMMENTS = "NJ00"  # how the codes of findings about comments begin


def analyse_for_lint(project: Project, options: Options) -> Conversion:
    """Convert the NumPy code in memory, and lint the JAX code. In a file that imports JAX, NumPy is the library of the host by
    choice: what the conversion would say of it is left out, unless its rules were selected."""
    jax = {file.path for file in project.files if imports_jax(file.data)}
    asked = [code for code in options.select if code not in lint_rules()]
    converts = any(mentions_numpy(file.data) and (asked or file.path not in jax) for file in project.files)
    found = jax_findings(project.files, options)
    conversion = analyse(project, options, found, converts=bool(converts and (asked or not options.select)))
    if asked:
        return conversion
    kept = [o._replace(diagnostics=tuple(filter(is_for_jax, o.diagnostics))) if o.path in jax else o for o in conversion.files]
    return conversion._replace(files=tuple(kept))


def is_for_jax(found: Diagnostic) -> bool:
    """Whether a finding in a file that imports JAX is about JAX code, or about a comment for np2jax."""
    return found.code in lint_rules() or found.code.startswith(COMMENTS)


def jax_findings(files: Sequence[ProjectFile], options: Options) -> dict[str, list[Diagnostic]]:
    """The findings of the rules for JAX code by path."""
    rules = chosen(options.select, options.ignore)
    sources = [JaxSource(str(file.path), file.module, file.path.name == "__init__.py", file.data) for file in files]
    jax = [source for source in sources if imports_jax(source.data)]
    if not jax or not rules:
        return {}
    return findings_in_jax(jax, rules, [source for source in sources if not imports_jax(source.data)])
