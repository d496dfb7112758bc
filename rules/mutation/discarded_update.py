"""A result that is discarded, of an operation without side effects.

JAX arrays never change, so `x.at[i].set(v)` alone on a line does nothing; nor does `x.sort()`, which sorts in place in NumPy.
The same holds for every pure function of JAX. Assign the result, or remove the line.

```python
import jax.numpy as jnp


def start(values):
    x = jnp.asarray(values)
    x.at[0].set(1.0)
    return x
```

stays as it is, since only its author knows what was meant:

```python
import jax.numpy as jnp


def start(values):
    x = jnp.asarray(values)
    x.at[0].set(1.0)
    return x
```
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..context import Context
from ..core.findings import Finding, Safety
from ..core.registry import Rule

rule = Rule(__name__, "NJ702", Safety.MANUAL, for_numpy_code=True)
UPDATES = frozenset("set add subtract multiply mul divide power min max apply get".split())
PURE = ("jax.numpy.", "jax.lax.", "jax.nn.", "jax.random.", "jax.scipy.")
# functions with side effects, or that call functions which may have some
EFFECTS = frozenset("save savez set_printoptions printoptions cond switch while_loop fori_loop scan map associative_scan".split())
METHODS = frozenset("sort clip round cumsum cumprod astype reshape ravel flatten transpose copy".split())


@rule.on(cst.Expr)
def check(node: cst.Expr, ctx: Context) -> Iterator[Finding]:
    call = node.value
    if not isinstance(call, cst.Call):
        return
    match call.func:
        case cst.Attribute(value=cst.Subscript(value=cst.Attribute(attr=cst.Name(value="at"))), attr=cst.Name(value=name)) if (
            name in UPDATES
        ):
            yield Finding(node, f"the result of `.at[...].{name}(...)` is dropped: the array does not change")
            return
        case cst.Attribute(value=array, attr=cst.Name(value=name)) if name in METHODS and _of_jax(array, ctx):
            yield Finding(node, f"the result of `.{name}()` is dropped: arrays of JAX do not change")
            return
    function = ctx.qualname(call.func) or ""
    if function.startswith(PURE) and function.rpartition(".")[2] not in EFFECTS and function.count(".") == 2:
        yield Finding(node, f"the result of `{function}`, which changes nothing, is dropped")


def _of_jax(node: cst.BaseExpression, ctx: Context) -> bool:
    """Whether the original code already uses a JAX array here: the result of a JAX function, or annotated as one."""
    value = ctx.value(node)
    return value.name.startswith("jax.numpy.") or (bool(value.memory) and all(m.startswith("jax:") for m in value.memory))
