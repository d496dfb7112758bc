"""A function that draws, and that code outside of the project may call: its callers need not pass a key.

The key is an optional keyword. Without it, one is drawn from NumPy's random state at each call, so that `np.random.seed` in the
caller's code keeps its effect. A parameter for a generator accepts one of NumPy, from which a key is drawn, as well as a key.

Tracing would run such a draw once, and compile its number. A jitted function is therefore split: the shell keeps the name and
the signature, and draws on the host; the core is compiled. Compiled code that passes a key may call the shell.

```python
import numpy as np


def noisy(x: np.ndarray, scale: float = 1.0):
    \"\"\"The signal with noise.\"\"\"
    return x + scale * np.random.normal(size=x.shape)
```

becomes

```python
import jax
import numpy as np


@jax.jit
def _noisy(x: jax.Array, scale: float, *, key):
    return x + scale * jax.random.normal(key, x.shape)


def noisy(x: jax.Array, scale: float = 1.0, *, key=None):
    \"\"\"The signal with noise.\"\"\"
    if key is None:
        key = jax.random.key(np.random.randint(2**63 - 1, dtype="int64"))
    return _noisy(x, scale, key=key)
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..codegen import shells
from ..codegen.host_keys import SPAWNED, of_state
from ..codegen.templates import filled, modules
from ..context import Context
from ..core.findings import Finding, Statement
from ..core.registry import Rule

rule = Rule(__name__, "NJ306")
AS_KEY = "_as_key({generator})"


@rule.on(cst.FunctionDef)
def check(node: cst.FunctionDef, ctx: Context) -> Iterator[Finding]:
    if node is not ctx.unit.definition or ctx.plan.refused or not ctx.plan.inputs.shell.draws:
        return
    prepared, imports = _preparations(node, ctx)
    if not prepared:
        return
    core = shells.core_name(node, ctx)

    def edit(made: cst.FunctionDef) -> cst.FunctionDef | cst.FlattenSentinel[cst.FunctionDef]:
        return shells.edited(made, core, prepared, ctx)

    definitions = frozenset({"_as_key"} if ctx.plan.inputs.shell.generators else ())
    if converters := shells.converters(node, ctx):
        imports |= shells.converters_imports(ctx)
        definitions |= converters
    message = f"code outside of the project may call `{node.name.value}`, and passes no key"
    yield Finding(node, message, {node: edit}, imports, wraps=True, definitions=definitions)


def _preparations(node: cst.FunctionDef, ctx: Context) -> tuple[list[Statement], frozenset[str]]:
    """The statements that prepare the arguments, without those that the function has already, and the imports that they need."""
    shell = ctx.plan.inputs.shell
    present = {
        cst.Module([]).code_for_node(small)
        for line in node.body.body
        if isinstance(line, cst.SimpleStatementLine)
        for small in line.body
    }
    lines, imports = list[Statement](), frozenset[str]()
    if shell.key and shell.stream:  # the children of the folded key are none of those into which others split it
        split, imports = ctx.names.name_of("jax.random.split")
        child = f"{split}({ctx.names.name_of('jax.random.fold_in')[0]}({shell.stream}, {SPAWNED}))"
        lines.append(cst.parse_statement(f"global {shell.stream}\n"))
        lines.append(cst.parse_statement(f"if {shell.key} is None:\n    {shell.stream}, {shell.key} = {child}\n"))
    elif shell.key:
        key, imports = of_state(ctx)
        lines.append(cst.parse_statement(f"if {shell.key} is None:\n    {shell.key} = {key}\n"))
    for name in shell.generators:
        made = cst.Assign([cst.AssignTarget(cst.Name(name))], filled(AS_KEY, {"generator": cst.Name(name)}, ctx))
        if cst.Module([]).code_for_node(made) in present:
            continue
        lines.append(cst.SimpleStatementLine([made]))
        imports |= modules(AS_KEY, ctx)
    return lines, imports
