"""What the README shows is what np2jax does."""

import re
import shlex
from pathlib import Path

import pytest

README = (Path(__file__).parents[2] / "README.md").read_text()


@pytest.mark.parametrize(
    "page, options", [("README.md", ()), ("docs/placement.md", ()), ("docs/random-numbers.md", ("--placement", "device"))]
)
def test_the_example(np2jax, tree, page, options):
    text = (Path(__file__).parents[2] / page).read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert blocks
    for before, after in zip(blocks[::2], blocks[1::2], strict=True):
        root = tree({"push.py": before})
        assert np2jax("convert", "push.py", "--allow-dirty", *options)[0] == 0
        assert (root / "push.py").read_text() == after


def test_every_command_and_option_exists(np2jax):
    lines = [line.partition("#")[0] for line in README.splitlines() if line.startswith("    np2jax ")]
    assert len(lines) >= 8
    for line in lines:
        _, command, *words = shlex.split(line)
        status, out, _ = np2jax(command, "--help")
        assert status == 0
        options = [word for word in words[: words.index("--") if "--" in words else None] if word.startswith("-")]
        assert all(option in out for option in options)


def test_the_settings_are_known(tree):
    from np2jax.migrate.project.settings import KEYS, load

    (block,) = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)
    load([tree({"pyproject.toml": block, "a.py": ""}) / "a.py"])
    assert all(f"{key.replace('_', '-')} = " in block for key in KEYS)


def test_the_two_commands_exist():
    make = (Path(__file__).parents[2] / "Makefile").read_text()
    assert re.findall(r"^    make (\w+)", README, re.MULTILINE) == ["demo", "test"]
    assert all(re.search(rf"^{target}:", make, re.MULTILINE) for target in ("demo", "test"))
