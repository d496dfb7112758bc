"""The command line. Each command imports its dependencies when it runs, so that `np2jax --help` is fast."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from ...version import __version__
from ..project.settings import PRECISIONS
from .lint_command import lint
from .messages import say, say_unreadable
from .options import (
    FINDINGS,
    WRONG,
    analysis_options,
    budget_option,
    command_line,
    dump_option,
    known_differences_options,
    placement_option,
    report_option,
    rules_format,
    run_options,
    verify_options,
)
from .server_command import server

if TYPE_CHECKING:
    from ..project.outcome import Conversion


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit.

    0: success; 1: findings, differences, or nothing compared or recorded; 2: invalid usage, unreadable or half-written input.
    """
    from ..project.garbage_collection import ending

    with ending():
        sys.exit(_status(arguments))


def _status(arguments: Sequence[str] | None) -> int:
    from ..project.failure import Failure

    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            return cli.main(arguments, "np2jax", standalone_mode=False) or 0
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return WRONG
    except click.ClickException as error:
        context = error.ctx if isinstance(error, click.UsageError) else None
        say(error.format_message().replace("\n", " ") + (f" See `{context.command_path} --help`." if context else ""))
        return WRONG
    except Failure as error:
        say(str(error))
        return WRONG
    except (click.Abort, KeyboardInterrupt):
        say("interrupted; no file was changed")
        return 130
    except BrokenPipeError:  # for example when the output is piped to `head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if os.environ.get("NP2JAX_TRACEBACK"):
            raise
        say(f"this is a bug of np2jax, please report it with what NP2JAX_TRACEBACK=1 prints ({type(error).__name__}: {error})")
        return WRONG


def _warn(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, file: object = None, line: str | None = None
) -> None:
    if not issubclass(category, SyntaxWarning):  # Python's opinion of the user's code, which Python itself prints on each run
        say(str(message))


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="np2jax %(version)s")
def cli() -> None:
    """Convert NumPy code to JAX, run both versions, and show where they differ."""
    if os.environ.get("NO_COLOR"):
        click.get_current_context().color = False


@cli.command()
@analysis_options
@placement_option
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Make DIR a converted copy; change nothing else. For a notebook, the name of another one.",
)
@click.option("--diff", "show_diff", is_flag=True, help="Show the change; write nothing.")
@click.option("--check", is_flag=True, help="Exit with 1 if there would be a change; write nothing.")
@click.option(
    "--verify", "verified", is_flag=True, help="Run both versions before writing; leave functions that differ as NumPy."
)
@click.option(
    "--only-if-faster",
    "measured",
    is_flag=True,
    help="Run and time both versions before writing; leave functions that are not faster at any size as NumPy.",
)
@budget_option
@verify_options
@report_option
@click.option("--allow-dirty", is_flag=True, help="Also change files that are not committed.")
@dump_option
def convert(
    paths: tuple[Path, ...],
    output: Path | None,
    reports: tuple[Path, ...],
    report_format: str | None,
    dumped: tuple[str, ...],
    **chosen: Any,
) -> int:
    """Convert files and folders, in place or into a copy."""
    from ..files.in_place_writer import changes
    from ..project.discovery import NEEDS_NBFORMAT
    from . import shim, terminal
    from .convert import conversion_reports, dump, preview, write
    from .reports.formats import targets, write_reports

    if dumped:
        text, errors = dump(paths, command_line(chosen), dumped)
        click.echo(text, nl=False)
        for path, reason in errors.items():
            say_unreadable(path, reason)
        return WRONG if errors else 0
    wanted = targets(reports, report_format)
    asked = command_line(chosen)
    if chosen["measured"] and (chosen["show_diff"] or chosen["check"]):
        raise click.UsageError("--only-if-faster runs the code before it is written; it cannot be used with --diff or --check.")
    if chosen["show_diff"] or chosen["check"]:
        done = preview(paths, asked)
        changed = changes(done.project, done.conversion)
        if chosen["show_diff"]:
            terminal.diff(changed)
        status = FINDINGS if changed and chosen["check"] else 0
        would = "would be changed"
    else:
        compare = shim.comparison(chosen) if chosen["verified"] else None
        measure = shim.measurement(chosen) if chosen["measured"] else None
        with terminal.progress("converting"):
            done = write(paths, asked, output, allow_dirty=chosen["allow_dirty"], compare=compare, measure=measure)
        changed = changes(done.project, done.conversion)
        status, would = 0, f"converted into {output}" if output else "converted"
    for line in (*done.recovered, *done.project.notes, *(f"{u}; what it calls is not known" for u in done.conversion.unread)):
        say(line)
    for notebook in done.project.notebooks:
        say(f"{notebook}: left as it is; {NEEDS_NBFORMAT}")
    if not chosen["show_diff"]:
        terminal.measured(done.conversion, dict(done.options.slower))
        terminal.functions(done.conversion)
        if compared := done.report.get("summary"):
            counts = ", ".join(f"{number} {verdict}" for verdict, number in compared["functions"].items() if number)
            click.echo(f"both versions were run: {counts}")
        others = len(done.project.others)
        rest = (
            f"; {others} other {'file of the project stays as it is' if others == 1 else 'files of the project stay as they are'}"
            if others
            else ""
        )
        click.echo(f"{len(changed)} of {len(done.project.files)} files {would}{rest}")
    write_reports(wanted, conversion_reports(done))
    problems = _problems(done.report) if changed or chosen["min_compared"] else []
    for problem in problems:
        say(problem)
    for name in done.differences:
        say(f"{name}: still differs from the original; --report FILE.json says where")
    return WRONG if _unreadable(done.conversion) else FINDINGS if done.differences or problems else status


cli.add_command(lint)
cli.add_command(server)


@cli.command()
@click.argument("code")
@rules_format
def explain(code: str, form: str) -> None:
    """Show the documentation of a rule."""
    from ...rules.core.refusals import every_code
    from ..project.settings import rule_codes
    from . import terminal
    from .formats.rules_json import listed

    known = every_code()
    found = [known[name] for name in rule_codes([code], known, "explain")]
    if form == "json":
        click.echo(listed(found))
    for rule in found if form == "text" else ():
        terminal.markdown(f"# {rule.code}: {rule.name}\n\n{rule.doc.strip()}\n\nSafety: {rule.safety.value}.")


@cli.command()
@rules_format
def rules(form: str) -> None:
    """List the rules."""
    from ...rules.core.refusals import every_code
    from . import terminal
    from .formats.rules_json import listed

    if form == "json":
        click.echo(listed(every_code().values()))
        return
    rows = [(rule.code, rule.name, rule.safety.value, rule.doc.strip().splitlines()[0]) for rule in every_code().values()]
    terminal.table(("code", "name", "safety", "description"), rows)


@cli.command(context_settings={"ignore_unknown_options": True})
@click.argument("command", metavar="-- COMMAND...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="FILE", type=click.Path(path_type=Path), default="np2jax-evidence.zip", show_default=True)
@click.option(
    "--root",
    "roots",
    metavar="DIR",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Record functions defined in this folder; default: the current one.",
)
@click.option("--timeout", metavar="SECONDS", type=float, help="Stop the program after this time; earlier calls are recorded.")
def record(command: tuple[str, ...], output: Path, roots: tuple[Path, ...], timeout: float | None) -> int:
    """Run a program or tests and record the calls of your functions, for --evidence; exit with 1 if there are none."""
    from ..files.interruptions import check_whole
    from .shim import recorder

    check_whole(roots or (Path(),))
    seen = recorder()(command, roots or (Path(),), output, timeout)
    for name, reason in seen.skipped:
        say(f"{name}: not recorded: {reason}")
    click.echo(f"{seen.calls} calls of {seen.functions} functions in {output}")
    if seen.status:
        say(f"{command[0]}: ended with status {seen.status}")
    if not seen.calls:
        where = ", ".join(map(str, roots)) or "the current folder"
        why = "no call of a function could be stored" if seen.skipped else f"no function defined in {where} was called"
        say(f"nothing was recorded: {why}")
    return FINDINGS if seen.status != 0 or not seen.calls else 0


@cli.command()
@click.argument("original", type=click.Path(path_type=Path))
@click.argument("converted", type=click.Path(path_type=Path))
@verify_options
@click.option("-j", "--jobs", metavar="N", type=click.IntRange(min=1), default=1, help="Run N programs at the same time.")
@click.option("--precision", type=click.Choice(PRECISIONS), help="Precision of the comparison; default: that of the conversion.")
@report_option
@known_differences_options
@click.option(
    "--against",
    metavar="BASE.json",
    type=click.Path(path_type=Path),
    help="Reports in Markdown hold only what changed against this JSON report, of the base branch.",
)
def verify(
    original: Path,
    converted: Path,
    precision: str | None,
    reports: tuple[Path, ...],
    report_format: str | None,
    against: Path | None,
    **chosen: Any,
) -> int:
    """Run both versions on the same inputs; exit with 1 on any difference, and if nothing could be compared."""
    from ..files.copy_writer import note_about
    from ..files.interruptions import check_whole
    from ..project.driver import CommandLine
    from . import shim, terminal
    from .convert import digests, outcomes, preview, promises
    from .reports.document import of_verification
    from .reports.formats import targets, write_reports
    from .reports.pull_request import base_report
    from .reports.renders import verification_reports

    check_whole((original, converted))
    wanted = targets(reports, report_format)
    base = None if against is None else base_report(against)
    if base is not None and not any(target.form == "markdown" for target in wanted):
        raise click.UsageError("--against is for a report in Markdown: --report FILE.md.")
    run, accept = shim.verifier(chosen), shim.acceptance(chosen)
    if original.is_file() and (converted / original.name).is_file():
        converted /= original.name
    noted = note_about(converted) or {}
    promised = noted.get("functions")
    if promised is None:
        done = preview([original], CommandLine())
        noted |= {"functions": outcomes(done.conversion), "originals": digests(done.project, done.conversion)}
        promised = promises(original, noted["functions"])
    known = noted["functions"]
    with terminal.progress("verifying"):
        found = run(original, converted, promised, precision or noted.get("options", {}).get("precision", "float64"))
    found, notes = accept(found)
    click.echo(found.to_text(), nl=False)
    for line in (*notes, *found.problems):
        say(line)
    document = of_verification(found.to_dict(), known, found.sources, noted.get("originals", {}))
    write_reports(wanted, verification_reports(lambda: document, found.to_markdown, base))
    return 0 if found.ok else FINDINGS


@cli.command()
@click.argument("path", type=click.Path(path_type=Path))
@run_options
@budget_option
@placement_option
@click.option("--precision", type=click.Choice(PRECISIONS), help="float64 (default) or float32.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="What to print.")
def profit(path: Path, form: str, placement: str | None, precision: str | None, **chosen: Any) -> int:
    """Run NumPy code and its conversion, and say when JAX pays; change nothing.

    The calls are those in --evidence, or those of the programs and tests in PATH, or generated ones of several sizes.
    """
    from ..project.driver import CommandLine
    from . import shim, terminal
    from .convert import preview
    from .demotion import copies

    run = shim.timer(chosen)
    with terminal.progress("measuring"):
        done = preview([path], CommandLine(precision=precision, placement=placement))
        device = done.options.placement == "device"
        for original, converted in copies([path], done.conversion):
            found = run(original, converted, done.conversion, done.options.precision, None, device)
    unreadable = _unreadable(done.conversion)
    if form == "json":
        click.echo(json.dumps(found.to_dict(), indent=1))
    else:
        if found.measured:
            terminal.table(found.headings, [one.row() for one in found.measured], headed=True)
        click.echo("\n".join(found.footer()))
    return WRONG if unreadable else 0 if found.measured else FINDINGS


@cli.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--undo", is_flag=True, help="Restore the files as they were before.")
def recover(paths: tuple[Path, ...], undo: bool) -> None:
    """Finish what a killed run left half-written, or undo it."""
    from ..files import interruptions

    said = interruptions.recover(paths, undo=undo)
    click.echo("\n".join(said) if said else "nothing was interrupted here")


def _problems(report: Mapping[str, Any]) -> list[str]:
    """Why `convert --verify` compared too little, for each path."""
    return [problem for each in report.get("paths", [report]) for problem in each.get("problems", ())]


def _unreadable(conversion: Conversion) -> bool:
    errors = [(str(file.path), file.error) for file in conversion.files if file.error]
    for path, reason in errors:
        say_unreadable(path, reason)
    return bool(errors)
