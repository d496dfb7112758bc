from pathlib import Path

import libcst as cst
import pytest

from np2jax.migrate.syntax.bindings import Scope
from np2jax.migrate.syntax.names import uses
from np2jax.migrate.syntax.scopes import build
from np2jax.migrate.syntax.source import parse

EVERY_SYNTAX = Path(__file__).parents[2] / "data" / "every_syntax.txt"


def scopes_of(code, name="pkg.mod", is_package=False):
    return build(parse("a.py", name, is_package, code.encode()))


def asked(code, **kwargs):
    """The qualified names of the arguments of the calls `Q(...)` in the code, in order."""
    scopes = scopes_of(code, **kwargs)
    return [
        scopes.qualname(node.args[0].value)
        for node in scopes.source.parents
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value == "Q"
    ]


def find(scopes, kind, name=None):
    return next(n for n in scopes.source.parents if isinstance(n, kind) and (name is None or n.name.value == name))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import numpy\nQ(numpy.linalg.norm)", "numpy.linalg.norm"),
        ("import numpy as np\nQ(np.linalg)", "numpy.linalg"),
        ("import numpy.linalg as la\nQ(la.norm)", "numpy.linalg.norm"),
        ("import numpy.linalg\nQ(numpy.sqrt)", "numpy.sqrt"),
        ("import numpy, numpy.linalg\nimport numpy.fft\nQ(numpy.x)", "numpy.x"),
        ("from numpy import linalg as la, sqrt\nQ(la.norm)", "numpy.linalg.norm"),
        ("from numpy import linalg as la, sqrt\nQ(sqrt)", "numpy.sqrt"),
        ("def f():\n    import numpy as np\n    def g():\n        Q(np.x)", "numpy.x"),
        ("def f():\n    Q(np.x)\nimport numpy as np", "numpy.x"),
        ("class C:\n    import numpy as np\n    Q(np.x)", "numpy.x"),
        ("class C:\n    import numpy as np\n    def f(self):\n        Q(np.x)", None),
        ("if a:\n    import numpy as np\nelse:\n    import numpy as np\nQ(np)", "numpy"),
        ("Q(len)", "builtins.len"),
        ("Q(len.x)", "builtins.len.x"),
        ("len = 1\nQ(len)", None),
        ("Q(unknown)", None),
        ("Q(__name__)", None),
        ("Q(f().x)", None),
        ("Q(a[0].x)", None),
    ],
)
def test_imports_and_builtins(code, expected):
    assert asked(code) == [expected]


@pytest.mark.parametrize(
    ("line", "name", "is_package", "expected"),
    [
        ("from . import x", "pkg.sub.mod", False, "pkg.sub.x"),
        ("from .m import x", "pkg.sub.mod", False, "pkg.sub.m.x"),
        ("from .. import x", "pkg.sub.mod", False, "pkg.x"),
        ("from ..m.n import y as x", "pkg.sub.mod", False, "pkg.m.n.y"),
        ("from ... import x", "pkg.sub.mod", False, None),
        ("from . import x", "pkg.sub", True, "pkg.sub.x"),
        ("from .. import x", "pkg.sub", True, "pkg.x"),
        ("from . import x", "pkg", True, "pkg.x"),
        ("from .. import x", "pkg", True, None),
        ("from .m import x", "script", False, "m.x"),
        ("from ..m import x", "script", False, None),
    ],
)
def test_relative_imports(line, name, is_package, expected):
    assert asked(f"{line}\nQ(x)", name=name, is_package=is_package) == [expected]


@pytest.mark.parametrize(
    "code",
    [
        "def f(np):\n    Q(np.x)",
        "def f(*np):\n    Q(np.x)",
        "def f(*, np=1):\n    Q(np.x)",
        "def f(**np):\n    Q(np.x)",
        "lambda np: Q(np.x)",
        "[Q(np.x) for np in a]",
        "{Q(np.x): 1 for a, (np, b) in a}",
        "def f():\n    np = 1\n    def g():\n        Q(np.x)",
        "def f():\n    Q(np.x)\n    np = 1",
        "def f():\n    if a:\n        np = 1\n    Q(np)",
        "def f():\n    for np in a: Q(np)",
        "def f():\n    with a as (b, [*np]): Q(np)",
        "def f():\n    try: pass\n    except E as np: Q(np)",
        "def f():\n    [(np := i) for i in a]\n    Q(np)",
        "def f():\n    np += 1\n    Q(np)",
        "def f():\n    np: int\n    Q(np)",
        "def f():\n    del np\n    Q(np)",
        "def f():\n    match a:\n        case [1, *np]: Q(np)",
        "def f():\n    match a:\n        case {1: 2, **np}: Q(np)",
        "def f():\n    match a:\n        case K(x=1 | np): Q(np)",
        "def f():\n    match a:\n        case [1] as np: Q(np)",
        "def f[np](x): Q(np)",
        "class C[np]:\n    Q(np)",
        "type A[np] = Q(np)",
        "def f():\n    global np\n    np = 2\nQ(np)",
        "def f():\n    global np\n    np = 2\ndef g():\n    Q(np)",
        "def f():\n    global np\n    def g():\n        global np\n        [np := 1 for i in a]\nQ(np)",
        "def f():\n    import numpy as np\n    def g():\n        nonlocal np\n        np = 3\n    Q(np)",
        "if a:\n    np = None\nQ(np)",
        "import jax.numpy as np\nQ(np)",
        "try:\n    import jax.numpy as np\nexcept ImportError:\n    import numpy as np\nQ(np)",
        "np = other\nQ(np)",
        "for np in a: pass\nQ(np)",
        "def np(): pass\nQ(np)",
        "class C:\n    np = 1\n    Q(np)",
        "class C:\n    def np(self): pass\n    Q(np)",
    ],
)
def test_other_bindings_are_no_import(code):
    assert asked(f"import numpy as np\n{code}") == [None]


@pytest.mark.parametrize(
    "code",
    [
        "def f(a=Q(np)): np = 1",
        "def f(a: Q(np)): np = 1",
        "def f(np=Q(np)): pass",
        "def f(np: Q(np)): pass",
        "def f(np) -> Q(np): pass",
        "@Q(np)\ndef f(np): np = 1",
        "lambda np=Q(np): 1",
        "class C(Q(np)):\n    np = 1",
        "class C(metaclass=Q(np)):\n    np = 1",
        "@Q(np)\nclass C:\n    np = 1",
        "[np for np in Q(np)]",
        "[np for np in Q(np) for i in np]",
        "class C:\n    np = 1\n    def f(self): Q(np)",
        "class C:\n    np = 1\n    x = [Q(np) for i in a]",
        "class C:\n    np = 1\n    f = lambda: Q(np)",
        "def f():\n    np = 1\n    def g():\n        global np\n        Q(np)",
        "def f():\n    x.np = 1\n    np[0] = 1\n    g(np=1)\n    Q(np)",
        "def f():\n    match a:\n        case np.x(np=1): Q(np)",
        "def f():\n    [i for i in np]\n    Q(np)",
        "def f():\n    for i in a:\n        while Q(np): pass",
        "def g():\n    def f(np): pass\n    Q(np)",
        "type A = Q(np)",
        "def f[T: Q(np)](x): pass",
        "async def f():\n    async with a as b: await Q(np)",
        "f'{x:{Q(np)}}'",
    ],
)
def test_uses_of_the_import(code):
    assert asked(f"import numpy as np\n{code}") == ["numpy"]


@pytest.mark.parametrize(
    "handler",
    ["except ImportError", "except ModuleNotFoundError as e", "except (OSError, ImportError)", "except", "except Exception"],
)
def test_an_import_that_may_be_missing_is_still_that_import(handler):
    assert asked(f"try:\n    import numpy as np\n{handler}:\n    np = None\nQ(np.x)") == ["numpy.x"]
    assert asked(f"try:\n    import a, numpy as np\n{handler}:\n    a = np = None\nQ(np.x)") == ["numpy.x"]


@pytest.mark.parametrize(
    "code",
    [
        "try:\n    import numpy as np\nexcept ImportError:\n    np = Fake()",
        "try:\n    import numpy as np\nexcept ValueError:\n    np = None",
        "try:\n    import numpy as np\nexcept ImportError:\n    pass\nnp = None",
        "try:\n    x\nexcept ImportError:\n    np = None\nimport numpy as np",
        "try:\n    x\nexcept ImportError:\n    np = None\n    import numpy as np",
        "try:\n    import numpy as np\nexcept ImportError:\n    def f():\n        global np\n        np = None",
    ],
)
def test_what_is_no_missing_import(code):
    assert asked(f"{code}\nQ(np)") == [None]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import numpy as np\nsqrt = np.sqrt\nQ(sqrt)", "numpy.sqrt"),
        ("import numpy\nnp = numpy\nnorm = np.linalg.norm\nQ(norm)", "numpy.linalg.norm"),
        ("import numpy as np\nsqrt: F = np.sqrt\nQ(sqrt)", "numpy.sqrt"),
        ("import numpy as np\na = b = np.sqrt\nQ(b)", "numpy.sqrt"),
        ("import numpy as np\ndef f():\n    sqrt = np.sqrt\n    def g(): Q(sqrt.x)", "numpy.sqrt.x"),
        ("import numpy as np\ndef f(np):\n    sqrt = np.sqrt\n    Q(sqrt)", None),
        ("import numpy as np\na, b = np.sqrt, 1\nQ(a)", None),
        ("import numpy as np\nsqrt = np.sqrt\nsqrt = np.cbrt\nQ(sqrt)", None),
        ("import numpy as np\nsqrt = np.sqrt\nsqrt += 1\nQ(sqrt)", None),
        ("import numpy as np\nclass C:\n    sqrt = np.sqrt\n    Q(sqrt)", None),
        ("sum = sum\nQ(sum)", None),
        ("a = b\nb = a\nQ(a)", None),
        ("xrange = range\nQ(xrange)", "builtins.range"),
        ("def f(): pass\ng = f\nQ(g)", "pkg.mod.f"),
        ("x = None\nQ(x)", None),
        ("Q(True)", None),
        ("import numpy as np\nx = np.sqrt(2)\nQ(x)", None),
    ],
)
def test_aliases(code, expected):
    assert asked(code) == [expected]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("def f(): pass\nQ(f)", "pkg.mod.f"),
        ("class C:\n    def m(self): pass\nQ(C.m)", "pkg.mod.C.m"),
        ("class C:\n    def m(self): pass\n    Q(m)", "pkg.mod.C.m"),
        ("class C:\n    class D:\n        def m(self): pass\n    Q(D.m)", "pkg.mod.C.D.m"),
        ("def f():\n    def g():\n        class C: pass\n        Q(C.m)", "pkg.mod.f.<locals>.g.<locals>.C.m"),
        ("class C[T]:\n    def m[U](self): pass\n    Q(m)", "pkg.mod.C.m"),
        ("def f(): pass\ndef f(x): pass\nQ(f)", None),
        ("if a:\n    def f(): pass\nelse:\n    f = None\nQ(f)", None),
        ("from typing import overload\n@overload\ndef f(a): ...\n@overload\ndef f(b): ...\ndef f(x): pass\nQ(f)", "pkg.mod.f"),
        ("from typing import overload\n@overload\ndef f(a): ...\n@overload\ndef f(b): ...\nQ(f)", None),
        ("class C:\n    def max(self): pass\n    Q(max)", None),
        ("class C:\n    def m(self): pass\ndef m(): pass\nQ(m)", "pkg.mod.m"),
    ],
)
def test_definitions(code, expected):
    assert asked(code) == [expected]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("_sum = sum\ndef sum(): pass\nQ(_sum)", None),
        ("Q(sum)\nfrom numpy import sum", None),
        ("class C:\n    Q(sum)\nfrom numpy import sum", None),
        ("from numpy import sum\nQ(sum)", "numpy.sum"),
        ("def f(): Q(sum)\nfrom numpy import sum", "numpy.sum"),
        ("if a:\n    from numpy import sum\nQ(sum)", None),
        ("try:\n    from numpy import sum\nexcept E: pass\ndef f(): Q(sum)", None),
        ("def f():\n    global sum\n    from numpy import sum\ndef g(): Q(sum)", None),
        ("def f():\n    if a:\n        from numpy import sum\n    Q(sum)", "numpy.sum"),
        ("if a:\n    from numpy import cumsum\nQ(cumsum)", "numpy.cumsum"),
    ],
)
def test_a_builtin_until_it_is_shadowed(code, expected):
    assert asked(code) == [expected]


def test_star_imports_make_unbound_names_unknown():
    code = "from numpy import *\nfrom .a import *\nfrom ... import *\nimport math\nQ(sum)\nQ(sqrt)\nQ(math.pi)"
    assert asked(code) == [None, None, "math.pi"]
    assert scopes_of(code).star_imports == ["numpy", "pkg.a", None]


def test_private_names_are_mangled_in_classes():
    assert asked("import numpy as __np\nclass C:\n    def f(self): Q(__np)\nQ(__np)") == [None, "numpy"]


def test_names_that_are_no_expressions_have_no_answer():
    scopes = scopes_of(
        "import numpy as np\nfrom numpy import sum\nx.sum(sum=1)\nsqrt = np.sqrt\nmatch x:\n    case C(sum=1): pass"
    )
    uses = [n for n in scopes.source.parents if isinstance(n, cst.Name) and n.value in ("sum", "sqrt", "numpy")]
    assert len(uses) == 8
    assert {scopes.qualname(node) for node in uses} == {None}


def test_the_parts_of_an_import_have_no_answer():
    scopes = scopes_of("import numpy.linalg\nimport numpy.fft as fft\nfrom numpy.linalg import norm\n")
    assert {scopes.qualname(n) for n in scopes.source.parents if isinstance(n, (cst.Name, cst.Attribute))} == {None}
    function = find(scopes_of("def f():\n    import numpy.fft as fft\n    from numpy.linalg import norm\n"), cst.FunctionDef)
    assert uses(function) == (frozenset(), {"f"})


def test_the_name_of_a_definition_is_its_path():
    scopes = scopes_of("class C:\n    def m(self): pass")
    assert scopes.qualname(find(scopes, cst.FunctionDef).name) == "pkg.mod.C.m"


def test_bindings():
    scopes = scopes_of("import a.b\nx = 1\nx, y = 2, 3\ndef f(z):\n    x; z; a; len\n    return unbound")
    body = find(scopes, cst.FunctionDef).body
    uses = {
        n.value: n
        for n, _ in scopes.source.parents.items()
        if isinstance(n, cst.Name) and scopes.scope_of(n).node in (body, find(scopes, cst.FunctionDef))
    }
    assert [type(b).__name__ for b in scopes.bindings(uses["x"])] == ["AssignTarget", "AssignTarget"]
    assert [type(b).__name__ for b in scopes.bindings(uses["z"])] == ["Param"]
    assert [type(b).__name__ for b in scopes.bindings(uses["a"])] == ["ImportAlias"]
    assert scopes.bindings(uses["len"]) == scopes.bindings(uses["unbound"]) == ()
    assert scopes.is_module_level(uses["x"]) and scopes.is_module_level(uses["a"])
    assert not scopes.is_module_level(uses["z"]) and not scopes.is_module_level(uses["len"])


def test_every_kind_of_binding():
    scopes = scopes_of(EVERY_SYNTAX.read_text(), name="pkg.sub.every")
    stack, kinds = [scopes.module], set()
    for scope in stack:
        stack += scope.children
        kinds |= {type(binding).__name__ for found in scope.names.values() for binding in found}
    assert kinds == set(
        "ImportAlias FunctionDef ClassDef Param AssignTarget AnnAssign AugAssign NamedExpr For CompFor WithItem ExceptHandler "
        "ExceptStarHandler Del MatchAs MatchStar MatchMapping TypeVar TypeVarTuple ParamSpec TypeAlias".split()
    )
    assert set(scopes.module.names) == set(
        "annotations np os d sibling uno two x y z w f G g outer C D h error group first rest value others px py whole anything "
        "Alias Plain yield_ p t".split()
    )
    assert scopes.star_imports == ["pkg.sub.star"]


def test_exports():
    scopes = scopes_of(
        "import numpy as np\nfrom .impl import f, g as h\nimport os.path\nsqrt = np.sqrt\ndef own(): pass\nx = 1\nlst = list\n"
    )
    assert scopes.exports() == {
        "np": "numpy",
        "f": "pkg.impl.f",
        "h": "pkg.impl.g",
        "os": "os",
        "sqrt": "numpy.sqrt",
        "lst": "builtins.list",
    }


CLOSURES = """
import numpy as np
total = 0
def f(a, b, unused):
    c = d = e = 1
    def g(x):
        nonlocal e
        e = x + a
        return lambda y: y + c + total
    class K:
        z = b
        def m(self): return d
    return [i + unused for i in np.arange(3)]
"""


def test_closures():
    scopes = scopes_of(CLOSURES)
    f, g = find(scopes, cst.FunctionDef, "f"), find(scopes, cst.FunctionDef, "g")
    assert scopes.assigned(f) == {"a", "b", "unused", "c", "d", "e", "g", "K"}
    assert scopes.captured(f) == {"a", "b", "c", "d", "e", "unused"}
    assert scopes.free(f) == {"np", "total"}
    assert scopes.assigned(g) == {"x"}
    assert scopes.captured(g) == set()
    assert scopes.free(g) == {"a", "c", "e", "total"}
    assert scopes.assigned(scopes.source.module) == {"np", "total", "f"}
    assert scopes.captured(scopes.source.module) == {"total", "np"}
    assert {"total", "np", "z", "i"} <= {name for names in scopes.all_names() for name in names}


def test_scopes_are_compared_by_identity():
    assert Scope(cst.Module([]), None) != Scope(cst.Module([]), None)
