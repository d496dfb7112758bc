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

from collections.abc import Iterator, Sequence

import libcst as cst

from ..codegen.host_keys import SPAWNED, of_state
from ..codegen.templates import filled, modules
from ..context import Context
from ..core.findings import Finding, Statement
from ..core.registry import Rule
from ..syntax import builders

rule = Rule(__name__, "NJ306")
AS_KEY = "_as_key({generator})"


@rule.on(cst.FunctionDef)
def check(node: cst.FunctionDef, ctx: Context) -> Iterator[Finding]:
    if node is not ctx.unit.definition or ctx.plan.refused or not ctx.plan.inputs.shell.prepares:
        return
    prepared, imports = _preparations(node, ctx)
    if not prepared:
        return
    core = ctx.names.fresh(f"_{node.name.value.lstrip('_')}") if ctx.plan.jit and not node.decorators else ""

    def edit(made: cst.FunctionDef) -> cst.FunctionDef | cst.FlattenSentinel[cst.FunctionDef]:
        return _split(made, core, prepared) if core and made.decorators else _prepended(made, prepared)

    definitions = frozenset({"_as_key"} if ctx.plan.inputs.shell.generators else ())
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


def _prepended(made: cst.FunctionDef, prepared: Sequence[Statement]) -> cst.FunctionDef:
    docstring, body = _parts(made)
    return made.with_changes(body=body.with_changes(body=[*docstring, *_copies(prepared), *body.body]))


def _split(made: cst.FunctionDef, core: str, prepared: Sequence[Statement]) -> cst.FlattenSentinel[cst.FunctionDef]:
    """The jitted core, and the shell that calls it."""
    docstring, body = _parts(made)
    call = cst.SimpleStatementLine([cst.Return(cst.Call(cst.Name(core), _arguments(made.params)))])
    blank = [cst.EmptyLine(indent=False), cst.EmptyLine(indent=False)]
    first = not made.leading_lines  # the function is the first statement of the file
    inner = made.with_changes(
        name=cst.Name(core),
        params=_without_defaults(made.params),
        body=body if docstring else made.body,
        leading_lines=() if first else blank,
    )
    outer = made.with_changes(
        decorators=(),
        body=cst.IndentedBlock([*docstring, *_copies(prepared), call]),
        leading_lines=[*blank, *(line for line in made.leading_lines if line.comment is not None)],
    )
    return cst.FlattenSentinel([inner, outer])


def _parts(made: cst.FunctionDef) -> tuple[list[cst.BaseStatement], cst.IndentedBlock]:
    """The docstring of a function, and the rest of its body on lines of their own."""
    if isinstance(made.body, cst.IndentedBlock):
        first = 1 if made.get_docstring() is not None else 0
        return [*made.body.body[:first]], made.body.with_changes(body=made.body.body[first:])
    suite = cst.ensure_type(made.body, cst.SimpleStatementSuite)
    lines = [cst.SimpleStatementLine([s.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)]) for s in suite.body]
    lines[-1] = lines[-1].with_changes(trailing_whitespace=suite.trailing_whitespace)
    return [], cst.IndentedBlock(lines)


def _copies(statements: Sequence[Statement]) -> Iterator[Statement]:
    return (s.deep_clone() for s in statements)


def _without_defaults(params: cst.Parameters) -> cst.Parameters:
    def bare(several: Sequence[cst.Param]) -> list[cst.Param]:
        return [p.with_changes(default=None, equal=cst.MaybeSentinel.DEFAULT) for p in several]

    return params.with_changes(
        params=bare(params.params), posonly_params=bare(params.posonly_params), kwonly_params=bare(params.kwonly_params)
    )


def _arguments(params: cst.Parameters) -> list[cst.Arg]:
    """The arguments by which the shell passes its parameters on."""
    plain = [cst.Arg(cst.Name(p.name.value)) for p in (*params.posonly_params, *params.params)]
    return [*plain, *(builders.keyword(p.name.value, cst.Name(p.name.value)) for p in params.kwonly_params)]
