"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..project.passes import NAMES
from ..project.settings import PLACEMENT, PRECISIONS, RANDOM, TRIP_COUNTS, renamed_trip_counts
from .reports.formats import FORMATS

if TYPE_CHECKING:
    from ..project.driver import CommandLine

FINDINGS, WRONG = 1, 2  # exit statuses besides 0

placement_option = click.option(
    "--placement",
    type=click.Choice(PLACEMENT),
    help="fast (default): what jit does not compile stays NumPy, which is faster; device: all that JAX can run becomes JAX.",
)

F = TypeVar("F", bound=Callable[..., Any])

BUDGET = 10.0  # seconds for the timed calls of one function

budget_option = click.option(
    "--budget",
    metavar="SECONDS",
    type=click.FloatRange(min=0.5),
    default=BUDGET,
    show_default=True,
    help="Measure the calls of one function for this time.",
)


def report_option(command: F) -> F:
    """The options for reports."""
    for option in (
        click.option(
            "--report-format",
            type=click.Choice(tuple(FORMATS)),
            help="The format of all reports, whatever their endings.",
        ),
        click.option(
            "--report",
            "reports",
            metavar="FILE",
            multiple=True,
            type=click.Path(path_type=Path),
            help=f"Write a report, {', '.join(FORMATS.values())}; may repeat.",
        ),
    ):
        command = option(command)
    return command


def codes(_context: click.Context, _parameter: click.Parameter, values: Sequence[str]) -> tuple[str, ...]:
    return tuple(code.strip() for value in values for code in value.split(",") if code.strip())


def _percent(_context: click.Context, _parameter: click.Parameter, value: str) -> float:
    try:
        share = float(value.strip().removesuffix("%"))
    except ValueError:
        share = -1.0
    if not 0 <= share <= 100:
        raise click.BadParameter(f"{value!r} is no percentage, such as 80%.")
    return share


def _passes(_context: click.Context, _parameter: click.Parameter, values: Sequence[str]) -> tuple[str, ...]:
    for value in values:
        if value not in NAMES:
            raise click.BadParameter(f"no pass is called {value!r}; there are {', '.join(NAMES)}.")
    return tuple(values)


dump_option = click.option(
    "--dump-after",
    "dumped",
    metavar="PASS",
    multiple=True,
    callback=_passes,
    help="Print the code or the facts after a pass; write nothing. May repeat; a wrong name lists the passes.",
)


def analysis_options(command: F) -> F:
    """The options that `convert` and `lint` share."""
    for option in (
        click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path)),
        click.option(
            "-j",
            "--jobs",
            metavar="N",
            type=click.IntRange(min=0),
            default=0,
            help="Use N processes; 0: one on each processor, where there are several programs.",
        ),
        click.option("--unsafe", is_flag=True, help="Also make changes that may alter results."),
        click.option("--ignore", metavar="CODES", multiple=True, callback=codes, help="Skip these rules, too."),
        click.option(
            "--select",
            metavar="CODES",
            multiple=True,
            callback=codes,
            help="Run only these rules: NJ201, or NJ2 for every code with that prefix.",
        ),
        click.option(
            "--random",
            type=click.Choice(RANDOM),
            help="keys (default): JAX keys replace NumPy's generators; host: NumPy's generators stay and draw the same numbers.",
        ),
        click.option(
            "--trip-counts",
            type=click.Choice(TRIP_COUNTS),
            help="dynamic (default): jit compiles a loop once for all trip counts; "
            "static: once for each trip count, which reverse-mode derivatives need.",
        ),
        click.option("--turns", type=click.Choice(("traced", "static")), hidden=True),
        click.option(
            "--precision",
            type=click.Choice(PRECISIONS),
            help="float64 (default) gives NumPy's results; float32 is faster.",
        ),
    ):
        command = option(command)
    return command


def run_options(command: F) -> F:
    """The options for running user code."""
    for option in (
        click.option("--seed", metavar="N", type=int, default=0, show_default=True, help="Seed of the generated inputs."),
        click.option(
            "--timeout",
            metavar="SECONDS",
            type=click.FloatRange(min=0, min_open=True),
            default=10.0,
            show_default=True,
            help="Time limit for one call.",
        ),
        click.option(
            "--evidence", metavar="FILE", type=click.Path(path_type=Path), help="Use inputs recorded by `np2jax record`."
        ),
    ):
        command = option(command)
    return command


def verify_options(command: F) -> F:
    """The options for running both versions."""
    path = click.Path(path_type=Path)
    for option in (
        run_options,
        click.option("--no-jit", is_flag=True, help="Verify: compare without compiling."),
        click.option(
            "--examples",
            metavar="N",
            type=click.IntRange(min=1),
            default=20,
            show_default=True,
            help="Verify: number of generated inputs for each function.",
        ),
        click.option(
            "--entry",
            metavar="FILE",
            type=path,
            help="Verify: the program to run, a file in ORIGINAL; default: every program found.",
        ),
        click.option(
            "--min-compared",
            metavar="PERCENT",
            default="0%",
            callback=_percent,
            show_default=True,
            help="Verify: exit with 1 if less than this share of the original's lines and branches was compared, such as 80%.",
        ),
    ):
        command = option(command)
    return command


def known_differences_options(command: F) -> F:
    """The options of `verify` for differences that are accepted."""
    path = click.Path(path_type=Path)
    for option in (
        click.option("--until", metavar="DAY", help="With --write-baseline: the last day, 2027-01-31; default: in 90 days."),
        click.option("--reason", metavar="TEXT", help="With --write-baseline: why the differences are accepted."),
        click.option("--write-baseline", metavar="FILE", type=path, help="Accept today's differences: write them into FILE."),
        click.option("--baseline", metavar="FILE", type=path, help="Accept the differences in FILE, each until its last day."),
    ):
        command = option(command)
    return command


def command_line(chosen: Mapping[str, Any]) -> CommandLine:
    """What the user chose by the options of `analysis_options`, and by those that only one of its commands has."""
    from ..project.driver import CommandLine

    trip_counts = chosen["trip_counts"]
    if chosen["turns"]:
        trip_counts = renamed_trip_counts(chosen["turns"], "--turns")
    return CommandLine(
        chosen["precision"],
        chosen["select"],
        chosen["ignore"],
        chosen["unsafe"],
        chosen["jobs"],
        chosen.get("force_exclude", False),
        chosen["random"],
        trip_counts,
        chosen.get("placement", "device"),  # lint reports what can be compiled, wherever it pays
        chosen.get("exclude", ()),
        chosen.get("extend_exclude", ()),
        chosen.get("config"),
        extend_select=chosen.get("extend_select", ()),
        per_file_ignores=chosen.get("per_file_ignores", ()),
        target_jax=chosen.get("target_jax"),
        evidence=chosen.get("evidence"),
    )


def rules_format(command: F) -> F:
    """The format of what is said about rules."""
    form = click.Choice(("text", "json"))
    return click.option(
        "--output-format", "--format", "form", type=form, default="text", show_default=True, help="What to print."
    )(command)
