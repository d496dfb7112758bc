"""Folders of scripts that import the module beside them, by a name that other folders have, too."""

import subprocess
import sys

FILES = {
    "one/util.py": "import numpy as np\n\n\ndef bump(x):\n    x += 1\n",
    "one/main.py": "import numpy as np\nimport util\n\na = np.zeros(3)\nutil.bump(a)\nprint(a)\n",
    "one/more.py": "import numpy as np\nfrom util import bump as up\n\na = np.zeros(2)\nup(a)\nprint(a)\n",
    "two/util.py": "import numpy as np\n\n\ndef bump(x, k):\n    return np.multiply(x, k)\n",
    "two/main.py": "import numpy as np\nfrom util import bump\n\nprint(bump(np.ones(3), 2))\n",
    "two/pkg/__init__.py": "from .part import change\n",
    "two/pkg/part.py": "import numpy as np\n\n\ndef change(x):\n    x[0] = 5.0\n",
    "one/pkg/__init__.py": "def change(x):\n    return x\n",
    "two/last.py": "import numpy as np\nfrom pkg import change\n\na = np.zeros(2)\nchange(a)\nprint(a)\n",
}


def test_each_script_gets_the_module_beside_it(np2jax, tree):
    root = tree({f"s/{name}": text for name, text in FILES.items()})
    status, _, err = np2jax("convert", "s", "-o", "out", "--placement", "device")
    assert (status, err) == (0, "")
    for script in ("one/main.py", "one/more.py", "two/main.py", "two/last.py"):
        before, after = (
            subprocess.run([sys.executable, root / top / script], capture_output=True, text=True, timeout=60).stdout
            for top in ("s", "out")
        )
        assert before == after != ""
    assert "a = util.bump(a)" in (root / "out/one/main.py").read_text()
