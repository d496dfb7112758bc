"""Statements of generated programs: in-place changes of arrays, and what else may alias them."""

from __future__ import annotations

import numpy as np

from np2jax.tests.programs.generators.program_expressions import Arr, Scope, Writer
from np2jax.tests.programs.generators.program_tables import ARRAYS_DRAWN, DTYPES, ELEMENTWISE, INDICES, STORED, UPDATES, Shape


def fits(expression: str, values: dict[str, object]) -> bool:
    try:
        eval(expression, values)
    except IndexError:
        return False
    return True


class Statements(Writer):
    """Writes statements; each method writes one or a few."""

    def targets(self, scope: Scope) -> list[str]:
        return list(scope.arrays)

    def index(self, scope: Scope, arr: Arr, name: str) -> tuple[str, Shape]:
        """A subscript of an array, and the shape of the selected part."""
        ends = ("",) if arr.rank == 1 else (", 0", ", 1")
        options = [*INDICES[arr.rank], *(f"[{i}{end}]" for i in scope.flags if i.startswith("i") for end in ends)]
        values = {"x": np.empty(arr.shape), "np": np, **dict.fromkeys(scope.flags, 0)}
        text = self.pick([o for o in options if fits("x" + o, values)])
        value = eval("x" + text, values)
        return text, np.shape(value)

    def store(self, scope: Scope) -> None:
        """A store to a part of an array."""
        name = self.pick(self.targets(scope))
        arr = scope.arrays[name]
        if self.chance(20) and arr.category in ("float", "int"):
            value = self.pick((self.literal(arr.category), f"{name} * 2", "{0}[{0} > 1] * 2"))
            mask = f"{name} > 1"
            operator = self.pick(("=", "=", *UPDATES[arr.category][:3]))
            value = value.format(name) if "[" in value else self.literal(arr.category)
            self.line(f"{name}[{mask}] {operator} {value}")
            return
        text, shape = self.index(scope, arr, name)
        category = self.pick(STORED[arr.category])
        found = [n for n, a in scope.arrays.items() if a == Arr(shape, category)]
        if self.chance(50):
            operator = self.pick(UPDATES[arr.category])
            value = (
                self.number(scope, arr.category)
                if operator not in ("//=", "%=", "**=", "|=")
                else ("True" if arr.category == "bool" else "2")
            )
            found = [n for n in found if category == arr.category and operator in ("+=", "-=", "*=")]
        else:
            operator, value = "=", self.number(scope, category) if category != "float" or arr.category != "int" else "2.7"
        if found and self.chance(60) and not (category == "float" and arr.category == "int"):
            value = self.pick(found)
        self.line(f"{name}{text} {operator} {value}")

    def augmented(self, scope: Scope) -> None:
        name = self.pick(self.targets(scope))
        if name in scope.outer:
            return self.store(scope)
        arr = scope.arrays[name]
        operator = self.pick(UPDATES[arr.category])
        value = (
            "2" if operator in ("//=", "%=", "**=") or (operator == "|=" and arr.category == "int") else self.operand(scope, arr)
        )
        self.line(f"{name} {operator} {value}")
        return None

    def bind(self, scope: Scope, text: str, arr: Arr, stem: str = "v") -> None:
        names = [n for n in scope.arrays if n not in scope.outer and scope.arrays[n] == arr]
        name = self.pick(names) if names and self.chance(15) else self.fresh(stem)
        self.line(f"{name} = {text}")
        scope.arrays[name] = arr

    def assignment(self, scope: Scope) -> None:
        if not scope.arrays:
            arr = self.arr()
            return self.bind(scope, self.new_array(scope, arr), arr)
        name = self.pick(scope.arrays)
        kind = self.pick(("new", "alias", "view", "view", "maybe", "chained", "number"))
        if kind == "new":
            return self.bind(scope, self.new_array(scope, scope.arrays[name]), scope.arrays[name])
        if kind == "alias":
            return self.bind(scope, name, scope.arrays[name])
        if kind == "view":
            return self.bind(scope, *self.view(scope, name))
        if kind == "maybe":
            return self.bind(scope, *self.maybe_view(scope, name))
        arr = scope.arrays[name]
        if kind == "chained":
            first, second = self.fresh(), self.fresh()
            self.line(f"{first} = {second} = {self.new_array(scope, arr)}")
            scope.arrays[first] = scope.arrays[second] = arr
            return None
        fresh = self.fresh("s")
        self.line(f"{fresh} = {self.number(scope, arr.category)}")
        return None

    def swap(self, scope: Scope) -> None:
        name = self.pick(scope.arrays)
        arr = scope.arrays[name]
        others = [n for n in self.of_shape(scope, arr) if n != name and n not in scope.outer]
        if others and name not in scope.outer and self.chance(50):
            other = self.pick(others)
            self.line(f"{name}, {other} = {other}, {name}")
        elif arr.rank == 1 or self.chance(50):
            self.line(f"{name}[0], {name}[-1] = {name}[-1], {name}[0]")
        else:
            self.line(f"{name}[0, 0], {name}[-1, -1] = {name}[-1, -1], {name}[0, 0]")

    def container(self, scope: Scope) -> None:
        """Create or use a list or dict of arrays."""
        if scope.lists and self.chance(50):
            name = self.pick(scope.lists)
            arr = scope.lists[name]
            found = self.of_shape(scope, arr)
            kind = self.pick(("store", "augmented", "take", "append", "replace", "loop"))
            where = "[0]" if arr.rank == 1 else "[0, -1]"
            if kind == "store":
                self.line(f"{name}[0]{where} = {self.literal(arr.category)}")
            elif kind == "augmented":
                self.line(f"{name}[-1] {UPDATES[arr.category][0]} {self.literal(arr.category)}")
            elif kind == "take":
                self.bind(scope, f"{name}[0]", arr)
            elif kind == "append" and found:
                self.line(f"{name}.append({self.pick(found)})")
            elif kind == "replace" and found:
                self.line(f"{name}[0] = {self.pick(found)}")
            else:
                self.line(f"for q in {name}:")
                self.line(f"    q{where} {UPDATES[arr.category][0]} {self.literal(arr.category)}")
            return
        if scope.dicts and self.chance(50):
            name = self.pick(scope.dicts)
            arr = scope.dicts[name]
            found = self.of_shape(scope, arr)
            kind = self.pick(("store", "augmented", "take", "replace"))
            if kind == "store":
                self.line(f'{name}["a"]{"[0]" if arr.rank == 1 else "[0, -1]"} = {self.literal(arr.category)}')
            elif kind == "augmented":
                self.line(f'{name}["b"] {UPDATES[arr.category][0]} {self.literal(arr.category)}')
            elif kind == "take" or not found:
                self.bind(scope, f'{name}["a"]', arr)
            else:
                self.line(f'{name}["a"] = {self.pick(found)}')
            return
        first = self.pick(scope.arrays)
        arr = scope.arrays[first]
        second = self.pick([first, *self.of_shape(scope, arr)])
        copy = ".copy()" if self.chance(30) else ""
        if self.chance(50):
            name = self.fresh("l")
            self.line(f"{name} = [{first}{copy}, {second}]")
            scope.lists[name] = arr
        else:
            name = self.fresh("d")
            self.line(f'{name} = {{"a": {first}{copy}, "b": {second}}}')
            scope.dicts[name] = arr

    def branch(self, scope: Scope) -> None:
        name = self.pick(scope.arrays)
        arr = scope.arrays[name]
        tests = [f"{name}.shape[0] > 2", f"{name}.ndim == 1"]
        tests += [f"{name}.sum() > 1", f"np.any({name} > 0)"] if arr.category != "complex" else []
        tests += [f"{f}" for f in scope.flags if f.startswith("flag")] * 2
        tests += [f"{f} is None" for f in scope.flags if f.startswith("opt")] * 2
        self.line(f"if {self.pick(tests)}:")
        self.block(scope.inside(), self.pick((1, 2)))
        if self.chance(50):
            self.line("else:")
            self.block(scope.inside(), 1)

    def loop(self, scope: Scope) -> None:
        name = self.pick(scope.arrays)
        arr = scope.arrays[name]
        inner = scope.inside()
        self.loops += 1
        kind = self.pick(("range", "range", "rows", "enumerate", "zip"))
        if kind == "range" or arr.rank == 1:
            index = self.fresh("i")
            bound = self.pick(("2", f"{name}.shape[0]", f"len({name})"))
            if kind == "enumerate":
                self.line(f"for {index}, _ in enumerate({name}):")
            else:
                self.line(f"for {index} in range({bound}):")
            inner.flags.append(index)
            if arr.rank == 1 and self.chance(50) and arr.category in ("float", "int", "complex"):
                self.depth += 1
                self.line(f"{name}[{index}] {self.pick(UPDATES[arr.category][:3])} {self.number(inner, arr.category)}")
                self.depth -= 1
        else:
            row = self.fresh("row")
            inner.arrays[row] = Arr(arr.shape[1:], arr.category)
            if kind == "rows":
                self.line(f"for {row} in {name}:")
            elif kind == "zip":
                other = self.pick(self.of_shape(scope, arr))
                second = self.fresh("row")
                inner.arrays[second] = Arr(arr.shape[1:], arr.category)
                self.line(f"for {row}, {second} in zip({name}, {other}):")
            else:
                index = self.fresh("i")
                self.line(f"for {index}, {row} in enumerate({name}):")
        self.block(inner, self.pick((1, 2)))
        self.loops -= 1
        for kept, value in list(inner.arrays.items()):  # a name that is bound only in the loop may be unbound after it
            if kept in scope.arrays and scope.arrays[kept] != value:
                del scope.arrays[kept]

    def map_loop(self, scope: Scope) -> None:
        """A new array, filled by a loop: element by element, some from other elements."""
        name = self.pick(scope.arrays)
        arr = scope.arrays[name]
        made, index = self.fresh("o"), self.fresh("i")
        dtype = self.pick(DTYPES[self.pick((arr.category, arr.category, "float" if arr.category != "complex" else "complex"))])
        item = (
            f"{name}[{index}]"
            if arr.rank == 1
            else self.pick((f"{name}[{index}, 0]", f"{name}[{index}].sum()", f"{name}[{index}, -1]"))
        )
        others = [n for n, a in scope.arrays.items() if a == Arr(arr.shape[:1], arr.category)]
        second = f"{self.pick(others)}[{index}]" if others and self.chance(40) else self.literal(arr.category)
        operator = self.pick(ELEMENTWISE[arr.category])
        before = f"{made}[{index} - 1]"
        values = [item, f"{item} {operator} {second}", f"{item} {operator} {item}"]
        values += [f"{before} {operator} {item}"] if dtype in DTYPES[arr.category] else []
        self.line(f"{made} = np.{self.pick(('zeros', 'ones'))}({name}.shape[0], dtype={dtype})")
        bound = self.pick(
            (f"range({name}.shape[0])", f"range(len({name}))", f"range(1, len({name}))", f"range(len({name}) - 1, -1, -1)")
        )
        self.line(f"for {index} in {bound}:")
        place = self.pick((index, index, index, f"-{index} - 1", f"{index} - 1", "0"))
        self.line(f"    {made}[{place}] = {self.pick(values)}")
        if self.chance(20):
            self.line(f"    {made}[{index}] {UPDATES[arr.category][0]} {item}" if dtype in DTYPES[arr.category] else "    pass")
        scope.arrays[made] = Arr(arr.shape[:1], next(c for c, names in DTYPES.items() if dtype in names))

    def comprehension(self, scope: Scope) -> None:
        """A list made from an array or by calls, and an array made from it."""
        name = self.pick(scope.arrays)
        arr = scope.arrays[name]
        made = self.fresh("l")
        call = self.call(scope)
        if call is not None and self.chance(50):
            self.line(f"{made} = [{call[0]} for _ in range(2)]")
            return
        items = ["q", "q * 2", "q.copy()"]
        if scope.sources and arr.category == "float":
            items.append(f"q + {self.pick(scope.sources)}.normal()")
        self.line(f"{made} = [{self.pick(items)} for q in {name}]")
        self.bind(scope, f"np.array({made})", arr)

    def nested(self, scope: Scope) -> None:
        """A nested function or lambda that uses the enclosing scope, and a call of it, possibly later."""
        name = self.pick(scope.arrays)
        arr = scope.arrays[name]
        function = self.fresh("inner")
        if self.chance(40):
            self.line(f"{function} = lambda: {self.pick((name, f'{name}.sum()', f'{name} * 2'))}")
        else:
            self.line(f"def {function}():")
            inner = scope.inside()
            inner.outer = frozenset(scope.arrays)
            self.depth += 1
            self.store(inner) if self.chance(40) else self.line(f"w = {name}.sum()")
            self.line(f"return {name}")
            self.depth -= 1
        if self.chance(50):
            self.statement(scope)
        result = self.fresh("s")
        self.line(f"{result} = {function}()")
        del arr

    def call_statement(self, scope: Scope) -> None:
        made = self.call(scope)
        if made is None:
            return self.assignment(scope)
        text, function = made
        kind = self.pick(("bare", "bind", "inside"))
        if kind == "bare" or function.result is None:
            self.line(text)
            return None
        if kind == "bind":
            return self.bind(scope, text, function.result)
        found = self.of_shape(scope, function.result)
        if not found:
            return self.bind(scope, text, function.result)
        operator = self.pick(ELEMENTWISE[function.result.category])
        sides = [text, self.pick(found)]
        return self.bind(scope, f" {operator} ".join(sides if self.chance(50) else sides[::-1]), function.result)

    def output(self, scope: Scope) -> None:
        """`out=`, and calls that change an array in place."""
        name = self.pick(scope.arrays)
        arr = scope.arrays[name]
        options = [f"{name}.fill({self.literal(arr.category)})"]
        if arr.category in ("float", "complex"):
            options += [f"np.add({name}, {self.operand(scope, arr)}, out={name})", f"np.multiply({name}, 2, {name})"]
        if arr.category in ("float", "int"):
            options += [f"{name}.sort()", f"np.add.at({name}, [0, 1, 0], 1)"]
        options += [f"np.copyto({name}, {self.operand(scope, arr)})"]
        self.line(self.pick(options))

    def early(self, scope: Scope) -> None:
        name = self.pick(scope.arrays)
        flags = [f for f in scope.flags if f.startswith("flag")]
        test = self.pick(flags) if flags else f"{name}.shape[0] == {self.pick((2, 3, 4))}"
        self.line(f"if {test}:")
        self.depth += 1
        self.give_back(scope)
        self.depth -= 1

    def guarded(self, scope: Scope) -> None:
        if self.chance(50):
            self.line('with np.errstate(all="ignore"):')
            self.block(scope, 1)
        else:
            self.line("try:")
            self.block(scope.inside(), 1)
            self.line("finally:")
            self.block(scope.inside(), 1)

    def walrus(self, scope: Scope) -> None:
        name = self.pick(scope.arrays)
        fresh = self.fresh("w")
        arr = scope.arrays[name]
        self.line(f"({fresh} := {name})[{'0' if arr.rank == 1 else '0, 0'}] = {self.literal(arr.category)}")
        scope.arrays[fresh] = scope.arrays[name]

    def draw(self, scope: Scope) -> None:
        """An array or a number of random draws, bound or added."""
        drawn = [n for n, a in scope.arrays.items() if a.category in ARRAYS_DRAWN]
        if not drawn:
            return self.assignment(scope)
        name = self.pick(drawn)
        arr = scope.arrays[name]
        text = self.drawn(scope, arr, self.of_shape(scope, arr)) if self.chance(60) else self.drawn_number(scope, arr.category)
        if name not in scope.outer and arr.category == "float" and self.chance(40):
            self.line(f"{name} {self.pick(('+=', '*='))} {text}")
        elif self.chance(40):
            self.line(f"{name}[{'...' if self.chance(50) else ':'}] = {text}")
        else:
            self.bind(scope, f"{name} {self.pick(('+', '*'))} {text}", arr)
        return None

    def generator(self, scope: Scope) -> None:
        """A new generator, or an in-place permutation."""
        if scope.sources and scope.arrays and self.chance(50):
            self.line(f"{self.pick(scope.sources)}.shuffle({self.pick(scope.arrays)})")
            return
        name = self.fresh("rng")
        self.line(f"{name} = np.random.default_rng({self.pick(('0', '3', '[1, 2]'))})")
        scope.sources.append(name)

    def statement(self, scope: Scope) -> None:
        self.budget -= 1
        if not scope.arrays:
            return self.assignment(scope)
        kinds = [self.assignment] * 5 + [self.store] * 5 + [self.augmented] * 3 + [self.call_statement] * 3 + [self.swap]
        if self.random in ("generators", "both") or scope.sources:
            kinds += [self.generator] + [self.draw] * 3 * bool(scope.sources)
        if self.depth < 3 and self.budget > 0:
            kinds += [self.branch, self.loop]
        if self.in_function:
            kinds += [self.container, self.nested, self.output, self.guarded, self.walrus, self.map_loop, self.comprehension]
            if self.loops == 0 and self.depth < 2:
                kinds.append(self.early)
        return self.pick(kinds)(scope)

    def block(self, scope: Scope, size: int) -> None:
        self.depth += 1
        start = len(self.lines)
        for _ in range(size):
            self.statement(scope)
        if len(self.lines) == start:
            self.line("pass")
        self.depth -= 1

    def give_back(self, scope: Scope) -> None:
        """Return what the function promises."""
        if self.returns is None:
            self.line("return")
            return
        found = self.of_shape(scope, self.returns)
        self.line(f"return {self.pick(found) if found and self.chance(70) else self.new_array(scope, self.returns)}")
