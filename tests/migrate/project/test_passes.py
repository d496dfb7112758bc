"""The passes of a conversion: what `--dump-after` prints, and that nothing is parsed or interpreted again without need."""

import re
from pathlib import Path

import pytest

from np2jax.migrate.commands import cli
from np2jax.migrate.lowering.catalogue import SPECULATIONS
from np2jax.migrate.project import passes, pipeline
from np2jax.migrate.project.outcome import Options, ProjectFile

EXAMPLES = Path(__file__).parents[3] / "examples"
TEXT = """\
import numpy as np

SIZE = 3


def smooth(x, n):
    y = np.zeros(n)
    for i in range(1, n - 1):
        y[i] = (x[i - 1] + x[i + 1]) / 2
    return y


def show(x):
    y = smooth(x, len(x))
    total = 0.0
    for k in range(SIZE):
        total = total * 0.5 + y[k]
    print(total)


show(np.ones(10))
"""
FACTS = """\
# after decide: m.py
m.<module>()
  calls: m.show
  plan: eager
m.smooth(x, n)
  calls give: x: array float64 rank 1; n: number int
  parameters: x: array float64 rank 1, depends on x; n: number int, depends on n
  variables: y: array float64 rank 1, traced; i: number int, depends on n
  result: array float64 rank 1, traced
  binding times: n must be static
  loop at line 8: range, carries y; Parallel
  plan: jit; static n
m._show_loop(y)
  calls give: y: array float64 rank 1
  parameters: y: array float64 rank 1, depends on y
  variables: total: number float64, depends on y[]; k: number int, varies with the loop
  result: number float64, traced
  loop at line 15: range, carries total; Scan
  plan: jit
m.show(x)
  calls give: x: array float64 rank 1
  parameters: x: array float64 rank 1, depends on x
  variables: y: array float64 rank 1, traced; total: number float64, traced
  result: none, static
  effects: it calls `print`
  calls: m._show_loop, m.smooth
  plan: eager: it calls `print`
"""


def project(**texts):
    return [ProjectFile(Path(f"{name}.py"), name, text.encode()) for name, text in texts.items()]


def dumped(files, *names, jobs=1):
    text, errors = pipeline.dump_files(files, Options(jobs=jobs), names)
    assert not errors
    return text


def counts(files):
    """How often each unit was parsed and interpreted."""
    found = re.findall(r"^(\S+): parsed (\d+), interpreted (\d+)$", dumped(files, "stats"), re.MULTILINE)
    return {name: (int(parsed), int(interpreted)) for name, parsed, interpreted in found}


def example(name):
    folder = EXAMPLES / name
    paths = sorted(folder.rglob("*.py")) if folder.is_dir() else [folder]
    modules = [".".join(path.relative_to(EXAMPLES).with_suffix("").parts).removesuffix(".__init__") for path in paths]
    return [ProjectFile(path, module, path.read_bytes()) for path, module in zip(paths, modules, strict=True)]


def test_code_after_a_pass():
    files = project(m=TEXT)
    assert dumped(files, "read") == f"# after read: m.py\n{TEXT}"
    moved = dumped(files, "outline-loops")
    assert "def _show_loop(y):\n    total = 0.0\n" in moved
    assert "    total = _show_loop(y)\n    print(total)\n" in moved
    done = pipeline.convert_files(files, Options()).files[0]
    assert dumped(files, "rewrite") == f"# after rewrite: m.py\n{done.data.decode()}"


def test_facts_after_a_pass():
    assert dumped(project(m=TEXT), "decide") == FACTS
    assert "not interpreted yet" in dumped(project(m=TEXT), "link")


def test_several_passes_in_their_order():
    files = project(m=TEXT, n="import numpy as np\n\nx = np.zeros(3)\n")
    text = dumped(files, "rewrite", "stats", "read")
    assert re.findall(r"^# after (.*)$", text, re.MULTILINE) == [
        f"{name}: {path}" for name in ("read", "rewrite", "stats") for path in ("m.py", "n.py")
    ]


def test_every_pass_can_be_shown_and_is_always_the_same():
    files = example("particle_filter")
    names = [name for name in passes.NAMES if name != passes.STATISTICS]
    text = dumped(files, *names)
    assert text == dumped(files, *names)
    assert [name for name in names if f"# after {name}: " in text] == names


def test_the_command_line_prints_and_writes_nothing(tmp_path, capsys):
    path = tmp_path / "m.py"
    path.write_text(f"{TEXT}raise SystemExit('it was run')\n")
    with pytest.raises(SystemExit) as end:
        cli.main(["convert", str(path), "--dump-after", "read", "--dump-after", "stats"])
    out = capsys.readouterr().out
    assert end.value.code == 0
    assert out.startswith(f"# after read: {path}\nimport numpy as np\n")
    assert f"# after stats: {path}\nm.<module>: parsed 1, " in out
    assert path.read_text().startswith(TEXT)
    assert [*tmp_path.iterdir()] == [path]


def test_an_unknown_pass(tmp_path, capsys):
    path = tmp_path / "m.py"
    path.write_text(TEXT)
    with pytest.raises(SystemExit) as end:
        cli.main(["convert", str(path), "--dump-after", "decid"])
    assert end.value.code == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert f"no pass is called 'decid'; there are {', '.join(passes.NAMES)}." in said


def test_a_file_that_does_not_parse(tmp_path, capsys):
    path = tmp_path / "m.py"
    path.write_text("import numpy as np\ndef f(:\n")
    with pytest.raises(SystemExit) as end:
        cli.main(["convert", str(path), "--dump-after", "decide"])
    assert end.value.code == 2
    assert f"{path}:2: syntax error" in capsys.readouterr().err


def test_the_table_of_passes():
    """Something makes whatever a pass reads, and all that changes the text invalidates all that was found out about it."""
    read = {what for each in passes.PASSES for what in each.reads}
    assert read < passes.MAKERS.keys()
    assert all(passes.BY_NAME[maker].makes == what for what, maker in passes.MAKERS.items())
    writing = [each for each in passes.PASSES if each.makes == "text"]
    assert {each.name for each in writing} == {"read", *SPECULATIONS}
    assert all(each.invalidates == passes.ANALYSIS for each in writing)


def test_units_that_call_each_other_are_parsed_and_interpreted_once():
    calls = [f"def f{i}(x):\n    return f{i + 1}(x) + 1.0\n\n\n" for i in range(8)]
    text = "import numpy as np\n\n\n" + "".join(calls) + "def f8(x):\n    return np.sin(x)\n\n\nprint(f0(np.zeros(3)))\n"
    assert set(counts(project(m=text)).values()) == {(1, 1)}


def test_a_file_in_which_loops_move():
    """What changes is parsed twice; what does not, once."""
    assert counts(project(m=TEXT)) == {
        "m.<module>": (1, 1),
        "m.smooth": (1, 1),
        "m._show_loop": (1, 1),
        "m.show": (2, 2),
    }


def test_methods_beside_one_in_which_a_loop_moves():
    """The class is written anew, and all that is known of the other methods stays."""
    others = "".join(f"    def other{k}(self, x):\n        return np.sin(x) + {k}\n\n" for k in range(8))
    text = TEXT.replace("def show(x):", "class Shown:\n" + others + "    def show(self, x):")
    text = text.replace("    y = smooth(x, len(x))\n    total", "        y = smooth(x, len(x))\n        total")
    text = re.sub(r"\n    (for k.*|print.*|    total = total.*)", r"\n        \1", text).replace("show(np", "Shown().show(np")
    found = counts(project(m=text))
    assert {f"m.Shown.other{k}" for k in range(8)} < found.keys()
    assert "m._show_loop" in found
    assert {found[f"m.Shown.other{k}"][1] for k in range(8)} == {1}


@pytest.mark.parametrize(
    ("name", "parses", "interpretations", "mean"),
    [
        ("sum_squared_error.py", 1, 2, 1.9),
        ("particles", 1, 6, 2.5),
        ("image_filters", 3, 5, 1.8),
        ("digits", 1, 4, 1.9),
    ],
)
def test_real_programs(name, parses, interpretations, mean):
    """How often units are parsed and interpreted at most, and interpreted on average: these figures may only shrink."""
    found = counts(example(name)).values()
    assert max(parsed for parsed, _interpreted in found) <= parses
    assert max(interpreted for _parsed, interpreted in found) <= interpretations
    assert sum(interpreted for _parsed, interpreted in found) <= mean * len(found)
