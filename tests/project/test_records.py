"""No record above 20 fields and no module above 400 lines, unless a reason stands here."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
PARTS = ("migrate", "rules", "runtime_shim")
MOST_FIELDS = 20
MOST_LINES = 400

LARGE_RECORDS = {
    "rules.numpy_table.entry.Entry": "a row of the table of NumPy: each row names the few columns that it needs",
    "rules.facts.draw.Draw": "a row of the table of random draws: each row names the few columns that it needs",
    "rules.facts.values.Value": "nothing is made and compared as often: one flat tuple is faster than nested ones",
    "migrate.analysis.parallel.loop_nest.Nest": "no record: the syntax of one loop nest, gathered once for all questions about it",
    "migrate.context.unit_context.UnitContext": "no record: one attribute for each subject that rules may ask about",
    "rules.facts.parallel_loops.ParallelNest": "the plan of one loop nest: what it stores, sums and reads are records of their own",
}
LARGE_MODULES: dict[str, str] = {}


def modules():
    """The name and the text of every module."""
    found = {}
    for part in PARTS:
        for path in (ROOT / part).rglob("*.py"):
            found[".".join(path.relative_to(ROOT).with_suffix("").parts)] = path.read_text()
    assert found
    return found


def fields(cls):
    """The names that a class declares, and that its `__init__` binds."""
    found = {s.target.id for s in cls.body if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)}
    for method in cls.body:
        if isinstance(method, ast.FunctionDef) and method.name == "__init__":
            nodes = [n for n in ast.walk(method) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)]
            found |= {n.attr for n in nodes if isinstance(n.value, ast.Name) and n.value.id == "self"}
    return found


def test_records():
    large = {
        f"{module}.{node.name}": len(found)
        for module, text in modules().items()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ClassDef) and len(found := fields(node)) > MOST_FIELDS
    }
    assert large.keys() == LARGE_RECORDS.keys(), large


def test_modules():
    large = {module: lines for module, text in modules().items() if (lines := len(text.splitlines())) > MOST_LINES}
    assert large.keys() == LARGE_MODULES.keys(), large


def test_fields_are_found():
    cls = ast.parse("class A:\n    x: int\n\n    def __init__(self):\n        self.y = self.z = 0\n").body[0]
    assert fields(cls) == {"x", "y", "z"}
