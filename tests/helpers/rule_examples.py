"""The standard tests of a rule: its documented example, and code that it leaves alone."""

import itertools
import re

import numpy as np
import pytest

from np2jax.rules.core.registry import all_rules
from np2jax.tests.helpers.differential import agrees_on, convert, run
from np2jax.tests.helpers.observed import NumpyRaises, check_program, taped

X64 = 'jax.config.update("jax_enable_x64", True)'
ARGUMENTS = (
    "np.array([[3.0, 1.0], [-2.0, 0.5]])",
    "np.array([3.0, -1.0, 2.0, 0.5])",
    "2",
    "1.5",
    "np.array([2, 0, 1])",
    "np.array([1, 0])",
    "np.array([4, 2, 7], np.int32)",
    "np.array([4.0, 1.5, 2], np.float32)",
    "np.array([2.0, 0.5])",
)
GENERATOR = "np.random.default_rng(5)"


def example_of(test_module, found=True, **options):
    """The test of a rule's documented example: `test_example = example_of(__name__)`. The test file is named after the rule.

    The conversion of the example is exactly the documented text, converting that changes nothing, and both versions agree.
    `found=False`: the example shows code about which the rule reports nothing; `options`: of `convert`.
    """
    rule = rule_of(test_module)

    def test():
        before, documented = rule.example
        text, functions, diagnostics = convert(before, **options)
        assert (text if X64 in documented else without_x64(text)) == documented
        assert (rule.code in {diagnostic.code for diagnostic in diagnostics}) is found
        assert convert(text, **options)[0] == text
        converted = {name: f for name, f in functions.items() if f.label != "kept" and "." not in name and name != "<module>"}
        if "np.random" in before:
            agree = [name for name, outcome in converted.items() if draws_agree(before, name, outcome)]
        else:
            agree = [name for name, outcome in converted.items() if agrees(before, text, name, outcome)]
        assert agree or not converted, "no arguments were found for which the example runs"

    return test


def reports(test_module, *programs):
    """A test that the rule reports each program, and changes nothing that it reports."""
    rule = rule_of(test_module)

    @pytest.mark.parametrize("program", programs)
    def test(program):
        found = [diagnostic for diagnostic in convert(program)[2] if diagnostic.code == rule.code]
        assert found and not any(diagnostic.fixed for diagnostic in found)

    return test


def leaves(test_module, *programs, **options):
    """A test that the rule reports nothing for programs that resemble its pattern."""
    rule = rule_of(test_module)

    @pytest.mark.parametrize("program", programs)
    def test(program):
        assert rule.code not in {diagnostic.code for diagnostic in convert(program, **options)[2]}

    return test


def rule_of(test_module):
    """The rule of a test file: for `tests/rules/mutation/test_dead_view.py` it is `rules/mutation/dead_view.py`."""
    folder, file = test_module.split(".")[-2:]
    (found,) = (rule for rule in all_rules().values() if rule.module.endswith(f".rules.{folder}.{file.removeprefix('test_')}"))
    return found


def agrees(before, text, name, outcome):
    """Compare one call of a function, with the first arguments that NumPy's version accepts."""
    for sources in itertools.product(ARGUMENTS, repeat=len(outcome.params)):
        arguments = tuple(eval(source, {"np": np}) for source in sources)
        if accepts(run(before)[name], arguments):
            return agrees_on(before, text, outcome, arguments, name)
    return False


def accepts(function, arguments):
    try:
        with np.errstate(all="ignore"):
            function(*(argument.copy() if isinstance(argument, np.ndarray) else argument for argument in arguments))
    except Exception:
        return False
    return True


def draws_agree(before, name, outcome):
    """As `agrees`, for a function that draws: a call of it is appended, and JAX replays the draws of NumPy's version."""
    names = [parameter for parameter in outcome.params if parameter != "key"]
    choices = [(GENERATOR,) if parameter == "rng" else ARGUMENTS for parameter in names]
    for sources in itertools.product(*choices):
        with taped():
            try:
                check_program({"m.py": f"{before}\n\nmade = {name}({', '.join(sources)})\n"}, random=True)
            except NumpyRaises:
                continue
            return True
    return False


def without_x64(text):
    """The converted text as in the documentation: without the switch to 64 bits and an `import jax` only for it."""
    text = text.replace(f"\n{X64}\n", "", 1)
    return text if re.search(r"\bjax\.(?!numpy\b)", text.replace("import jax.numpy", "")) else text.replace("import jax\n", "", 1)
