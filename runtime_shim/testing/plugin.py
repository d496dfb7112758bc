"""The pytest plugin: `pytest --np2jax-against DIR` runs the converted functions on the calls that each test makes.

pytest loads this module whenever np2jax is installed: it imports nothing else before the option is given.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ..values.errors import ShimError, require

if TYPE_CHECKING:
    from .beside import Beside

NAME = "np2jax-against"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("np2jax")
    group.addoption(
        "--np2jax-against",
        metavar="DIR",
        help="Run the converted functions in DIR on the calls that each test makes of the original ones; a test in which they differ fails.",
    )
    group.addoption(
        "--np2jax-original", metavar="PATH", help="The original of DIR; default: what `np2jax convert` made DIR from."
    )
    group.addoption("--np2jax-timeout", metavar="SECONDS", type=float, default=10.0, help="Time limit for one call; default: 10.")


def pytest_configure(config: pytest.Config) -> None:
    """Stage both versions if the option is given. Raises UsageError if they cannot be compared."""
    against = config.getoption("--np2jax-against")
    if against is None:
        return
    if config.getoption("numprocesses", None) and not hasattr(config, "workerinput"):
        return  # the workers of pytest-xdist run the tests
    try:
        require("numpy", "jax", "hypothesis", purpose="--np2jax-against")
        from .beside import beside

        original = config.getoption("--np2jax-original")
        both = beside(Path(original) if original else None, Path(against), config.getoption("--np2jax-timeout"))
    except ShimError as error:
        raise pytest.UsageError(f"--np2jax-against: {error}") from error
    config.pluginmanager.register(Against(both, against, hasattr(config, "workerinput")), NAME)


class Against:
    """The hooks of a run with the option. `shared`: other workers run other tests."""

    def __init__(self, both: Beside, converted: str, shared: bool) -> None:
        self.both = both
        self.converted = converted
        self.shared = shared

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Observe the test; if it passes, run the converted functions on its calls. Fails the test where they differ."""
        from .observation import observed

        with observed(self.both.top, {pair.file for pair in self.both.pairs.values()}) as evidence:
            result = yield
        if found := self.both.differences(evidence):
            pytest.fail("\n".join(map(str, found)), pytrace=False)
        return result

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """A run in which nothing was compared says nothing: it fails."""
        if not (self.both.compared or self.shared) and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """How much was compared, and what was not."""
        terminalreporter.section("np2jax")
        compared, skipped = self.both.compared, self.both.skipped
        if compared:
            calls, functions = sum(compared.values()), len(compared)
            terminalreporter.line(f"compared with {self.converted}: {calls} calls of {functions} functions")
        else:
            terminalreporter.line(
                f"nothing was compared with {self.converted}: no test made a comparable call of {self.both.original}"
            )
        for name, why in sorted(skipped.items()):
            if name not in compared:
                terminalreporter.line(f"not compared: {name}: {why}")

    def pytest_unconfigure(self) -> None:
        """End the processes."""
        self.both.stop()
