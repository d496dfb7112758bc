"""How many dimensions the results of NumPy's functions have: what the analysis says of an expression is what NumPy returns."""

from pathlib import Path

import libcst as cst
import numpy as np

from np2jax.migrate.linking import worklist
from np2jax.migrate.project.outcome import Options, ProjectFile
from np2jax.migrate.project.pipeline import convert_files
from np2jax.rules.core.findings import Kind
from np2jax.rules.facts.ranks import rank_of

GIVEN = {
    "s": ("np.float64(2.0)", np.float64(2.0)),
    "v": ("np.ones(3)", np.ones(3)),
    "w": ("np.arange(3)", np.arange(3)),
    "a": ("np.eye(3)", np.eye(3)),
    "c": ("np.stack([a, 2 * a])", np.stack([np.eye(3), 2 * np.eye(3)])),
    "n": ("3", 3),
}
KNOWN = """
np.sum(a) np.sum(a,axis=0) np.sum(c,axis=(0,1)) np.sum(c,axis=1,keepdims=True) np.mean(c,1,keepdims=False) c.sum(-1) c.max()
np.linalg.norm(a) np.linalg.norm(a,axis=1) np.add.reduce(a) np.add.reduce(a,axis=None) np.cumsum(a) np.cumsum(a,axis=1) a.cumsum()
np.linspace(0,1,5) np.linspace(v,1.0,5) np.linspace(0.0,v,num=n) np.expand_dims(v,0) np.expand_dims(v,(0,2)) np.diagonal(c)
a.diagonal() np.trace(a) np.trace(c) a.trace() np.linalg.det(a) np.linalg.det(c) np.linalg.inv(c) np.linalg.eigvalsh(c)
np.atleast_1d(s) np.atleast_2d(v) np.atleast_3d(v) np.atleast_1d(c) np.matmul(v,v) np.matmul(a,v) np.matmul(v,a) np.matmul(c,a)
np.matmul(c,v) np.matmul(v,c) np.dot(v,v) np.dot(a,v) np.dot(v,a) np.dot(a,a) np.dot(c,a) np.dot(a,c) np.dot(s,c) np.dot(a,2.0)
v.dot(v) a.dot(v) c.dot(a) np.inner(v,v) np.inner(a,c) np.inner(c,v) np.inner(2.0,a) np.outer(v,a) np.vdot(a,a) np.kron(v,a)
np.concatenate([v,w]) np.concatenate((a,a),axis=1) np.concatenate([a,a],axis=None) np.stack([v,w]) np.stack([s,s]) np.stack((a,a),axis=-1)
np.hstack((v,v)) np.hstack([a,a]) np.hstack([s,s]) np.vstack([v,v]) np.vstack([c,c]) np.dstack((v,w)) np.column_stack([v,w])
np.repeat(a,2) np.repeat(a,2,axis=0) np.append(a,v) np.append(a,a,axis=0) np.delete(a,0,axis=1) np.insert(v,1,2.0)
np.take_along_axis(a,a.argsort(),1) np.take_along_axis(a,w,axis=None) np.einsum("ij,jk->ik",a,a) np.einsum("ij,jk",a,a)
np.einsum("ii",a) np.einsum("kij->k",c) np.where(a>0,a,v) np.select([v>0,v<0],[v,w]) np.meshgrid(v,w) np.meshgrid(v,w,v,indexing="ij")
np.broadcast_arrays(a,v) np.linalg.eigh(a) np.linalg.eigh(c) np.linalg.svd(c) np.linalg.qr(a) np.linalg.slogdet(a) np.linalg.slogdet(c)
np.linalg.eig(a) np.triu_indices(n) np.tril_indices(3,1) np.zeros((2,n)) np.full(n,1.0) np.broadcast_to(v,(2,3)) np.array([[1.0,2.0]])
""".split()
UNKNOWN = """
np.sum(a,axis=x) np.sum(a,keepdims=x) np.sum(x,axis=0) np.expand_dims(v,x) np.einsum("...i,i->...",a,v) np.einsum(x,v) np.stack(x)
np.select([x],[v]) np.hstack(x) np.vstack(x) np.matmul(x,a) np.dot(x,v) np.atleast_2d(x) np.meshgrid(*x) np.cumsum(a,axis=x) np.linspace(x,1.0,3)
""".split()


def said(expressions, monkeypatch):
    """What the analysis knows of the expressions in one function, and NumPy's results of those without the parameter x."""
    runs = {}
    run_once = worklist.run_once

    def recorded(module, unit, *more):
        runs[unit.name] = unit, run_once(module, unit, *more)
        return runs[unit.name][1]

    monkeypatch.setattr(worklist, "run_once", recorded)
    lines = [f"    {name} = {text}" for name, (text, _value) in GIVEN.items()]
    lines += [f"    r{i} = {text}" for i, text in enumerate(expressions)]
    text = "\n".join(
        ["import numpy as np", "", "", "def f(x):", *lines, f"    return {', '.join(f'r{i}' for i in range(len(expressions)))}\n"]
    )
    convert_files([ProjectFile(Path("a.py"), "a", text.encode())], Options())
    unit, run = runs["a.f"]
    stores = [node for node in run.source.among(unit.node, cst.Assign) if node.targets[0].target.value.startswith("r")]
    return [run.values[node.value] for node in stores]


def agrees(value, result):
    """Whether what is said about a result is true, and says its rank."""
    if isinstance(result, (tuple, list)):
        if value.elements is None or len(value.elements) != len(result):
            return False
        return all(agrees(each, one) for each, one in zip(value.elements, result, strict=True))
    dtypes = ("", np.asarray(result).dtype.name, {"f": "float", "i": "int"}.get(np.asarray(result).dtype.kind))
    return rank_of(value) == np.ndim(result) and value.dtype in dtypes and value.kind in (Kind.ARRAY, Kind.SCALAR)


def test_ranks_are_those_of_the_results(monkeypatch):
    values = said(KNOWN, monkeypatch)
    environment = {"np": np, **{name: value for name, (_text, value) in GIVEN.items()}}
    wrong = [
        f"{text}: {value}" for text, value in zip(KNOWN, values, strict=True) if not agrees(value, eval(text, dict(environment)))
    ]
    assert not wrong, "\n".join(wrong)


def test_ranks_that_depend_on_what_is_unknown_are_not_said(monkeypatch):
    values = said(UNKNOWN, monkeypatch)
    assert [text for text, value in zip(UNKNOWN, values, strict=True) if value.elements or rank_of(value) >= 0] == []


def test_one_of_the_arrays_that_are_joined_tells_the_rank_of_all(monkeypatch):
    joined = (
        "np.concatenate((x,a),axis=1) np.stack([v,x]) np.hstack([v,x]) np.hstack([x,a]) np.vstack([v,x]) np.vstack([x,c])".split()
    )
    assert [rank_of(value) for value in said(joined, monkeypatch)] == [2, 2, 1, 2, 2, 3]
