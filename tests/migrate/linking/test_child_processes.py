"""What runs in a forked process stays NumPy: JAX may wait there forever for threads that the copy does not have."""

import subprocess
import sys

import pytest

from np2jax.tests.helpers.differential import convert_project

CODE = """
import numpy as np


def smooth(x: np.ndarray):
    y = np.zeros_like(x)
    for i in range(1, len(x)):
        y[i] = 0.5 * y[i - 1] + np.sin(x[i])
    return y


def both(x: np.ndarray):
    return smooth(x) + smooth(x[::-1])


def energy(x: np.ndarray):
    s = 0.0
    for i in range(1, len(x)):
        s = s * 0.5 + x[i] * x[i - 1]
    return s


class Filter:
    def smooth(self, x):
        return smooth(x)
"""


def forked(text):
    functions = convert_project({"signals.py": CODE, "work.py": text}, placement="fast")[1]
    return {name[8:] for name, f in functions.items() if "in a forked process" in f.reason and name.startswith("signals.")}


@pytest.mark.parametrize(
    "text",
    [
        "import multiprocessing as mp\nimport signals\ndef f(p):\n    with mp.Pool(2) as pool:\n        return pool.map(signals.both, p)\n",
        "from multiprocessing import Process\nfrom signals import both\ndef f(x):\n    Process(target=both, args=(x,)).start()\n",
        "from concurrent.futures import ProcessPoolExecutor\nimport signals\n"
        "def f(xs):\n    with ProcessPoolExecutor() as e:\n        return [e.submit(signals.both, x) for x in xs]\n",
        "import multiprocessing\nimport signals\n"
        "def f(xs, pool):\n    return pool.map(lambda x: signals.both(x), xs)\n\nf([], multiprocessing.Pool())\n",
        "import multiprocessing\nimport functools\nimport signals\n"
        "def f(xs):\n    return multiprocessing.Pool().map(functools.partial(signals.both), xs)\n",
        "import multiprocessing\nimport signals\n"
        "class Worker(multiprocessing.Process):\n    def run(self):\n        self.out = signals.both(self.x)\n",
        "import multiprocessing\nimport signals\n"
        "class Base(multiprocessing.Process):\n    pass\n\n"
        "class Worker(Base):\n    def run(self):\n        self.out = signals.both(self.x)\n",
        "import multiprocessing\nimport signals\n"
        "def f(g, xs):\n    return multiprocessing.Pool().map(lambda x: g(x), xs)\n\ndef h(xs):\n    return f(signals.both, xs)\n",
        "import os\nimport signals\ndef f(x):\n    if os.fork() == 0:\n        signals.both(x)\n",
        "import multiprocessing\nimport signals\n"
        "def one(x):\n    return signals.Filter().smooth(x) + signals.both(x)\n"
        "def f(xs):\n    return multiprocessing.Pool().imap(one, xs)\n",
    ],
)
def test_what_a_forked_process_calls(text):
    assert {"smooth", "both"} <= forked(text)
    assert "energy" not in forked(text)


@pytest.mark.parametrize(
    "text",
    [
        'import multiprocessing as mp\nimport signals\ndef f(p):\n    return mp.get_context("spawn").Pool(2).map(signals.both, p)\n',
        'import multiprocessing as mp\nimport signals\nmp.set_start_method("forkserver")\n'
        "def f(p):\n    return mp.Pool(2).map(signals.both, p)\n",
        "from concurrent.futures import ThreadPoolExecutor\nimport signals\n"
        "def f(p):\n    return list(ThreadPoolExecutor().map(signals.both, p))\n",
        "import multiprocessing\nimport signals\ndef f(p):\n    return multiprocessing.cpu_count() * signals.both(p)\n",
        "import multiprocessing\nimport signals\ndef f(p):\n    return multiprocessing.Pool().map(abs, signals.both(p))\n",
    ],
)
def test_processes_that_call_nothing_compiled(text):
    assert not forked(text)


def test_no_waiting_for_a_lost_thread(tmp_path):
    text = (
        "import multiprocessing\nimport signals\nimport numpy as np\n"
        "def f(xs):\n    with multiprocessing.get_context('fork').Pool(2) as pool:\n        return pool.map(signals.both, xs)\n\n"
        "if __name__ == '__main__':\n"
        "    x = np.linspace(0, 1, 50)\n    print(signals.energy(x))\n    print(len(f([x, x])))\n"
    )
    texts = convert_project({"signals.py": CODE, "work.py": text}, placement="fast")[0]
    for name, made in texts.items():
        (tmp_path / name).write_text(made)
    assert "jax.jit" in texts["signals.py"]
    done = subprocess.run([sys.executable, "work.py"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.endswith("2\n"), done.stderr
