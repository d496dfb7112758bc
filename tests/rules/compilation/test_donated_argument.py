"""Calls that overwrite the array which they are given: where nobody else can have it, and nowhere else."""

import contextlib
import io

import jax.numpy as jnp
import numpy as np
import pytest

from np2jax.tests.helpers.differential import agrees_on, check_agrees, convert, convert_project, run
from np2jax.tests.helpers.rule_examples import example_of
from np2jax.tests.programs.generators.donation_programs import program

test_example = example_of(__name__)

STEP = """\
import numpy as np


def step(u, c):
    u[1:-1] += c * (u[:-2] - 2 * u[1:-1] + u[2:])


def other(u, v):
    u += v


def same(u):
    return u


def show(u):
    print(u.sum())


def made(n):
    return np.arange(n) * 1.0


"""
MAIN = (
    STEP
    + "def f(x: np.ndarray, n=6):\n    held = []\n    {start}\n    for t in range(3):\n        print(t)\n        {turn}\n    return {end}\n"
)


def main(start="u = np.ones(n)", iteration="step(u, 0.1)", end="u"):
    return MAIN.format(start=start, turn=iteration.replace("\n", "\n        "), end=end)


def donates(text, **options):
    made, functions, _diagnostics = convert(text, **options)
    assert functions["f"].label != "kept", functions["f"].reason
    return "_in_place(" in made.split("def f(")[1] or "donate_argnames" in made.split("def f(")[0].rpartition("def ")[0]


OVERWRITTEN = {
    "zeros": main("u = np.zeros(n)"),
    "with its type": main("u: np.ndarray = np.ones(n)"),
    "two at once": main("u, v = np.ones(n), np.zeros(n)", iteration="step(u, 0.1)\nstep(v, 0.1)", end="u, v"),
    "stored into another array": main("u, w = np.ones(n), np.zeros((3, n))", iteration="step(u, 0.1)\nw[t] = u", end="u, w"),
    "filled": main("u = np.full(n, 2.0)"),
    "arithmetic": main("u = 2 * x"),
    "made by a compiled function": main("u = made(n)"),
    "an array of another": main("u = np.array(x)"),
    "changed before": main("u = np.ones(n)\n    u[2] = 5.0\n    u[:] = 3.0\n    u[1:] = x[1:]\n    u += x"),
    "what a whole slice took": main("u = np.ones(n)\n    u[0:] = x", end="u, x"),
    "made anew in a turn": main(iteration="u = u * 2\nstep(u, 0.1)"),
    "items and sums": main(iteration="step(u, 0.1)\nprint(u[0], u.max(), np.sum(u), u.shape, f'{u.mean()}')"),
    "under a test": main(iteration="if t > 1:\n    step(u, 0.1)"),
    "a copy now and then": main(iteration="step(u, 0.1)\nif t == 1:\n    held.append(u.copy())", end="u, held"),
    "a copy before the loop": main("u = np.ones(n)\n    old = u.copy()", end="u, old"),
    "a copy after it": main(end="u.copy(), u"),
    "until it settles": main(iteration="before = u.sum()\nstep(u, 0.1)\nif abs(u.sum() - before) < 1e-3:\n    break"),
    "two of them": main("u = np.ones(n)\n    v = np.zeros(n)", iteration="step(u, 0.1)\nstep(v, 0.1)\nother(u, v)", end="u, v"),
    "parts of it": main(iteration="step(u, 0.1)\nw = u[1:] - u[:-1]\nheld.append(w)", end="u, held"),
    "items under a mask": main(iteration="m = u > 1\nstep(u, 0.1)\nw = u[m]\nheld.append(w)\nu[m] = w * 0.5", end="u, held"),
    "items at positions": main(iteration="k = np.array([0, 1, 2, 3, 4, 5])\nstep(u, 0.1)\nheld.append(u[k])", end="u, held"),
    "a sum of items": main(iteration="step(u, 0.1)\nheld.append(sum(u[k] for k in range(3)))", end="u, held"),
    "a parameter of that name": main("u = np.ones(n)\n    half = lambda u: u * 0.5", iteration="step(u, 0.1)", end="u, half(x)"),
    "by its name": main(iteration="step(c=0.1, u=u)"),
}
LEFT = {
    "the caller's": main("u = x", end="u"),
    "a parameter": main("u = np.ones(n)", iteration="step(x, 0.1)", end="x"),
    "a copy, which JAX does not make": main("u = x.copy()", end="u, x"),
    "the same dtype": main("u = x.astype(float)", end="u, x"),
    "what a whole array gave": main("u = np.ones(n)\n    u[:] = x", end="u, x"),
    "filled with an array": main("u = np.full_like(x, x)", end="u, x"),
    "one array of a list": main("u = np.concatenate([x])", end="u, x"),
    "returned by a function that is not compiled": main("v = np.ones(n)\n    u = same(v)", end="u, v"),
    "two names": main("u = np.ones(n)\n    v = u", end="u, v"),
    "two names in a turn": main(iteration="old = u\nstep(u, 0.1)\nprint(old[0])"),
    "held by a list": main(iteration="step(u, 0.1)\nheld.append(np.asarray(u))", end="u"),
    "in a list": main("u = np.ones(n)\n    held = [u]", end="u, held"),
    "stored into a list": main("u = np.ones(n)\n    held = [0, 0, 0]", iteration="step(u, 0.1)\nheld[t] = u", end="u"),
    "stored into a dict": main("u = np.ones(n)\n    held = {}", iteration="step(u, 0.1)\nheld['u'] = u", end="u"),
    "one of two": main("u, v = np.ones(n), x", iteration="step(v, 0.1)", end="u"),
    "swapped": main("u, v = np.ones(n), x", iteration="u, v = v, u\nstep(u, 0.1)", end="u"),
    "in a tuple": main("u = np.ones(n)\n    pair = (u, x)", end="u, pair"),
    "another dtype, perhaps": main(iteration="step(u, 0.1)\nheld.append(u.astype(float))", end="u, held"),
    "another shape, perhaps": main(iteration="step(u, 0.1)\nheld.append(np.reshape(u * 1, n))\nheld.append(u.ravel())", end="u"),
    "a copy in every turn": main(iteration="old = u.copy()\nstep(u, 0.1)\nprint(np.abs(u - old).max())"),
    "whoever looks at it": main(iteration="step(u, 0.1)\nshow(u)"),
    "a function that looks later": main("u = np.ones(n)\n    look = lambda: u", end="u, look()"),
    "a default": main("u = np.ones(n)\n    def look(v=u):\n        return v", end="u, look()"),
    "a default of a lambda": main("u = np.ones(n)\n    look = lambda v=u: v", end="u, look()"),
    "a list of a generator": main("u = np.ones(n)\n    held = list(u for _ in range(2))", end="u"),
    "a list that is written shortly": main("u = np.ones(n)\n    held = [u for _ in range(2)]", end="u"),
    "given twice": main(iteration="other(u, u)"),
    "given with a part": main(iteration="other(u, u[0:])"),
    "a choice": main("u = np.ones(n) if n > 2 else x"),
    "an error that is caught": main(iteration="try:\n    step(u, 0.1)\nexcept ValueError:\n    print('no')"),
    "handed from turn to turn": main("u = np.ones(n)\n    v = np.ones(n)", iteration="step(u, 0.1)\nu, v = v, u", end="u, v"),
    "rows of a matrix": main("m = np.ones((3, n))", iteration="step(m[t], 0.1)", end="m"),
    "the turns themselves": main("w = [np.ones(n), np.ones(n)]\n    u = x", iteration="for u in w:\n    step(u, 0.1)", end="w"),
    "all local names": main("u = np.ones(n)", iteration="step(u, 0.1)\nprint(len(locals()))"),
    "outside of loops": STEP + "def f(x, n=6):\n    u = np.ones(n)\n    print(n)\n    step(u, 0.1)\n    return u\n",
    "compiled as a whole": main(iteration="step(u, 0.1)").replace("        print(t)\n", ""),
}


@pytest.mark.quick(9)
@pytest.mark.parametrize("text", OVERWRITTEN.values(), ids=OVERWRITTEN)
def test_what_nobody_else_has_is_overwritten(text, capsys):
    assert donates(text)
    check_agrees(text, (np.linspace(0, 2, 6) ** 2,))


@pytest.mark.quick(15)
@pytest.mark.parametrize("text", LEFT.values(), ids=LEFT)
def test_what_somebody_may_have_is_left(text, capsys):
    made, _functions, _diagnostics = convert(text)
    assert "donate" not in made
    check_agrees(text, (np.linspace(0, 2, 6) ** 2,), keep=True)


def test_the_array_is_gone_and_the_function_keeps_its_name():
    made = run(convert(main())[0])
    u = jnp.ones(6)
    made["step"](u, 0.1)
    assert not u.is_deleted()
    made["step_in_place"](u, 0.1)
    assert u.is_deleted()


def test_static_arguments_stay_static(capsys):
    text = STEP.replace("def step(u, c):", "def step(u, c, n=2):").replace("1:-1", "n:-n").replace(":-2]", ": -2 * n]")
    text = text.replace("u[2:]", "u[2 * n:]")
    text += "def f(x):\n    u = np.ones(9)\n    for t in range(3):\n        step(u, 0.1, n=1)\n        print(t)\n    return u\n"
    made = check_agrees(text, (np.ones(3),))
    assert 'step_in_place = jax.jit(step, static_argnames="n", donate_argnames="u")' in made


def test_a_private_function_says_it_itself(capsys):
    text = "import numpy as np\n\n\ndef _step(u, c):\n    u[0] += c\n\n\n"
    text += "def f(x):\n    u = np.ones(9)\n    for t in range(3):\n        _step(u, t)\n        print(t)\n    return u\n"
    made = check_agrees(text, (np.ones(3),))
    assert '@functools.partial(jax.jit, donate_argnames="u")\ndef _step(' in made and "in_place" not in made
    twice = text + "\n\ndef g(x: np.ndarray):\n    _step(x, 1.0)\n    return x\n"
    assert 'jax.jit(_step, donate_argnames="u")' in convert(twice)[0]


def test_a_loop_that_moved_overwrites(capsys):
    text = "import numpy as np\n\n\ndef f(x):\n    n = x.shape[0]\n    u = np.zeros(n)\n    for t in range(4):\n"
    text += "        for i in range(1, n):\n            u[i] = 0.5 * u[i - 1] + t\n        print(u[-1])\n    return u\n"
    made = check_agrees(text, (np.ones(5),))
    assert '@functools.partial(jax.jit, donate_argnames="u")\ndef _f_loop(' in made


def test_the_code_of_a_module(capsys):
    text = STEP + "u = np.ones(9)\nfor t in range(3):\n    step(u, 0.1)\n    print(u[1])\n"
    made = convert(text)[0]
    assert "u = step_in_place(u, 0.1)" in made
    want, got = run(text)["u"], run(made)["u"]
    np.testing.assert_allclose(got, want)
    for reader in (
        "\n\ndef g():\n    return u\n",
        "\n\nclass C:\n    v = u\n",
        "\nv = u\n",
        "\n\ndef h():\n    global u\n    u = 1\n",
    ):
        assert "donate" not in convert(text + reader)[0]


def test_modules_that_others_import_keep_their_arrays(capsys):
    sources = {
        "a.py": STEP + "u = np.ones(9)\nfor t in range(3):\n    step(u, 0.1)\n    print(u[1])\n",
        "b.py": "from a import u\n\nprint(u.sum())\n",
    }
    assert "donate" not in convert_project(sources)[0]["a.py"]


def test_functions_of_other_modules_are_called_as_they_are(capsys):
    sources = {
        "a.py": STEP,
        "b.py": "import numpy as np\nfrom a import step\n\n\ndef f(n):\n    u = np.ones(n)\n    for t in range(3):\n"
        "        step(u, 0.1)\n        print(u[1])\n    return u\n",
    }
    made = convert_project(sources)[0]
    assert "donate" not in made["a.py"] and "u = step(u, 0.1)" in made["b.py"]


@pytest.mark.parametrize("options", [{"ignore": ("NJ505",)}, {"ignore": ("NJ5",)}, {"ignore": ("NJ501",)}])
def test_it_can_be_switched_off(options, capsys):
    assert "donate" not in convert(main(), **options)[0]
    private = convert(main().replace("step(", "_step("), **options)[0]
    assert "donate" not in private and "u = _step(u, 0.1)" in private


def test_a_line_can_be_left(capsys):
    text = main().replace("def step(u, c):", "def step(u, c):  # np2jax: ignore[NJ505]")
    made = convert(text)[0]
    assert "donate" not in made and "u = step(u, 0.1)" in made
    text = main().replace("        step(u, 0.1)", "        step(u, 0.1)  # np2jax: ignore[NJ505]")
    assert "u = step(u, 0.1)" in convert(text)[0]
    private = (
        main().replace("def step(u, c):", "def _step(u, c):  # np2jax: ignore[NJ505]").replace("step(u, 0.1)", "_step(u, 0.1)")
    )
    assert "donate" not in convert(private)[0]


def test_what_jit_is_kept_from_is_not_trusted(capsys):
    text = main().replace("def made(n):", "def made(n):  # np2jax: ignore[NJ501]")
    assert "donate" not in convert(text)[0]


def agrees(seed):
    text = program(seed)
    with contextlib.redirect_stdout(io.StringIO()):
        made, functions, _diagnostics = convert(text)
        agrees_on(text, made, functions["f"], (np.random.default_rng(seed).normal(size=6),), beside=1)
    return "_in_place(" in made.split("def f(")[1]


def test_drawn_programs_agree():
    assert sum(map(agrees, range(12))) > 0


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, 400, 50))
def test_many_drawn_programs_agree(start):
    assert sum(map(agrees, range(10000 + start, 10050 + start))) > 2


def test_the_message_names_what_every_call_overwrites():
    text = "import numpy as np\n\n\ndef _step(u, c):\n    u[0] += c\n\n\ndef f(x):\n    u = np.ones(9)\n    for t in range(3):\n        _step(u, t)\n"
    text += "        print(t)\n    return u\n"
    every = [
        [d.message for d in convert(each)[2] if "every call of" in d.message] for each in (text, text.replace("_step", "step"))
    ]
    assert every == [["every call of `_step` may overwrite `u`"], []]
