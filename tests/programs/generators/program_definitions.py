"""Definitions in generated programs: functions, classes with arrays as attributes, arrays of a module."""

from __future__ import annotations

from np2jax.tests.programs.generators.program_expressions import Arr, Class, Function, Scope
from np2jax.tests.programs.generators.program_statements import Statements


class Definitions(Statements):
    """Writes the definitions before the main part."""

    def parameters(self, most: tuple[int, ...]) -> list[tuple[str, Arr | str]]:
        params: list[tuple[str, Arr | str]] = [(self.fresh("p"), self.arr()) for _ in range(self.pick(most))]
        if len(params) == 2 and self.chance(50):
            params[1] = (params[1][0], params[0][1])
        if self.random in ("generators", "both") and self.chance(60):
            params.insert(self.pick((0, len(params))), (self.fresh("rng"), "rng"))
        if self.chance(30):
            params.append((self.fresh("flag"), "flag"))
        elif self.chance(20):
            params.append((self.fresh("opt"), "none"))
        return params

    def body(self, head: str, params: list[tuple[str, Arr | str]], scope: Scope, size: int) -> None:
        shown = []
        for position, (name, kind) in enumerate(params):
            if kind == "object":
                shown.append(name)
            elif isinstance(kind, Arr):
                shown.append(f"{name}: np.ndarray" if self.annotated else name)
            elif kind == "rng":
                shown.append(f"{name}: np.random.Generator" if self.annotated else name)
            elif kind == "flag" and position < len(params) - 1:
                shown.append(name)
            else:
                shown.append(f"{name}={'None' if kind == 'none' else 'False'}")
        self.line(f"def {head}({', '.join(shown)}):")
        self.in_function, self.budget = True, 8
        scope.outer = frozenset(self.module_arrays)
        scope.arrays |= self.module_arrays
        scope.sources += [n for n, kind in params if kind == "rng"] + ["np.random"] * (self.random in ("state", "both"))
        self.returns = self.pick([None, *scope.arrays.values()]) if self.chance(80) else self.arr()
        self.block(scope, size)
        self.depth += 1
        if self.returns is not None or self.chance(20):
            self.give_back(scope)
        self.depth -= 1
        self.in_function = False
        self.line("")

    def function(self) -> None:
        """A function at module level."""
        name, params = self.fresh("f"), self.parameters((1, 2, 2))
        arrays = {n: a for n, a in params if isinstance(a, Arr)}
        self.body(
            name, params, Scope(arrays, [n for n, a in params if not isinstance(a, Arr) and a != "rng"]), self.pick((1, 2, 3, 4))
        )
        self.functions.append(Function(name, tuple(params), self.returns))

    def klass(self) -> None:
        """A class: some attributes are arguments, some are copies; methods change and return them."""
        name, param, kind = self.fresh("K"), self.fresh("p"), self.arr()
        self.line(f"class {name}:")
        self.depth += 1
        self.line(f"def __init__(self, {param}):")
        self.depth += 1
        attrs = {"self.a": kind, "self.b": kind}
        self.line(f"self.a = {self.pick((param, f'{param}.copy()', f'{param} * 1'))}")
        self.line(f"self.b = {self.pick((f'np.zeros_like({param})', 'self.a', 'self.a.copy()', param))}")
        own = self.random in ("generators", "both") and self.chance(50)
        if own:
            self.line("self.rng = np.random.default_rng(4)")
        self.depth -= 1
        self.line("")
        methods: list[Function] = []
        free = self.functions
        for _ in range(self.pick((1, 2))):
            method, params = self.fresh("m"), self.parameters((0, 1))
            arrays = {**attrs, **{n: a for n, a in params if isinstance(a, Arr)}}
            self.functions = [*free, *(Function(f"self.{m.name}", m.params, m.result) for m in methods)]
            scope = Scope(arrays, [n for n, a in params if not isinstance(a, Arr) and a != "rng"])
            scope.sources += ["self.rng"] * own
            self.body(method, [("self", "object"), *params], scope, self.pick((1, 2, 3)))
            methods.append(Function(method, tuple(params), self.returns))
        self.functions = free
        self.depth -= 1
        self.classes.append(Class(name, kind, tuple(methods)))

    def module_array(self) -> None:
        """An array that the functions of the module read and change."""
        name, kind = self.fresh("g"), self.arr()
        self.line(f"{name} = {self.data(kind)}")
        self.module_arrays[name] = kind
