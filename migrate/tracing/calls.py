"""Calls: of methods of arrays and containers, of the functions of JAX, NumPy and Python, of functions of the project."""

from __future__ import annotations

import ast

from ...rules.facts.trace_events import Call, Formatting, Iteration, Reference, Timing
from ...rules.facts.traced_values import (
    ABSTRACT,
    ANYTHING,
    ARRAY,
    ASKED,
    CALLABLE,
    CONTAINERS,
    DICT,
    EXTERNAL,
    FUNCTION,
    GENERATOR,
    HOST,
    INSTANCE,
    INTEGER,
    LINEAR,
    LIST,
    MAYBE,
    MODULE,
    MUTABLE,
    NOTHING,
    NUMBER,
    PLAIN,
    SET,
    STATIC,
    TEXT,
    TEXTS,
    TRANSFORMED,
    TREE,
    TUPLE,
    UNKNOWN,
    UNORDERED,
    Traced,
    is_unordered,
)
from ...rules.jax_table import array_functions as arrays
from ...rules.jax_table import random_functions as random
from ...rules.jax_table.called_functions import CALLED
from ...rules.jax_table.host_functions import CONTAINERS as MADE
from ...rules.jax_table.host_functions import DUCK_TYPED, LOGGERS, REPEATING, SEEDED, TIMERS, WRITER, WRITERS
from ...rules.jax_table.removed_names import REMOVED
from ...rules.jax_table.transforms import CALLBACKS, MAPPED, OWN_DERIVATIVES, TRANSFORMS, TRANSPARENT
from . import applied
from .attributes import CHANGING, DERIVATIVES, is_layer
from .dtypes import described
from .literals import has_specification, host_size, size
from .machine import TRACED_ARRAYS
from .operators import AT, ENUMERATE, NUMBER_TYPES, RANGE, ZIP, element
from .program import HOST as UNTRACED
from .program import Bound, ClassInfo, Frame, with_own_derivative
from .queries import waits
from .transfers import fetched, on_device, shown, transferred
from .transforming import Transforming

TEXT_RESULTS = frozenset(  # methods of texts
    """
    capitalize casefold center expandtabs format format_map join ljust lower lstrip removeprefix removesuffix replace rjust rstrip
    strip swapcase title translate upper zfill
    """.split()
)
UNFINISHED = frozenset("range enumerate zip len isinstance list tuple".split())
NUMBERS = frozenset({"int", "float", "complex", "len", "ord", "hash", "id"})
ARRAY_RESULTS = frozenset({"abs", "round", "sum", "pow", "divmod"})
AT_METHODS = frozenset("set add subtract multiply divide power min max apply get mul".split())

Arguments = tuple[list[Traced], dict[str, Traced], bool]


class Calls(Transforming):
    def call(self, node: ast.Call, frame: Frame) -> Traced:
        if isinstance(node.func, ast.Attribute):
            base = self.evaluate(node.func.value, frame)
            if base.kind not in (EXTERNAL, MODULE):
                args = self.arguments(node, frame)
                return self.method(node, node.func, base, args, frame)
            function = self.attribute_of(node.func, base, frame)
        else:
            function = self.evaluate(node.func, frame)
        args = self.arguments(node, frame)
        return self.called(node, function, args, frame)

    def arguments(self, node: ast.Call, frame: Frame) -> Arguments:
        args: list[Traced] = []
        open_ = False
        for argument in node.args:
            value = self.evaluate(argument, frame)
            if isinstance(argument, ast.Starred):
                if value.kind in (TUPLE, LIST) and value.items is not None:
                    args += value.items
                else:
                    open_ = True
            elif not open_:
                args.append(value)
        keywords: dict[str, Traced] = {}
        for keyword in node.keywords:
            value = self.evaluate(keyword.value, frame)
            if keyword.arg is not None:
                keywords[keyword.arg] = value
            elif value.kind == DICT and value.items is not None:
                keywords |= dict(zip(value.keys, value.items, strict=True))
            else:
                open_ = True
        self.forget_parts((*args, *keywords.values()), frame)
        if applied.KEPT in keywords:
            applied.keep(self, keywords, frame)
        return args, keywords, open_

    def called(self, node: ast.Call, function: Traced, given: Arguments, frame: Frame) -> Traced:
        """The result of calling a value."""
        args, keywords, open_ = given
        if any(value.kind == INSTANCE for value in (*args, *keywords.values())):
            frame.attributes.clear()
        if function.kind == EXTERNAL:
            return self.library(node, function, args, keywords, open_, frame)
        if function.kind == TRANSFORMED and isinstance(node.func, ast.Call):
            self.announce(node.func, function.what.name, function.what.function, True, frame)
        if function.kind != TRANSFORMED:
            frame.running = 0
        return self.apply(function, args, keywords, open_, frame.trace, frame, node)

    # ---- methods

    def method(self, node: ast.Call, func: ast.Attribute, base: Traced, given: Arguments, frame: Frame) -> Traced:
        args, keywords, open_ = given
        name = func.attr
        transferred(self, node, f".{name}", args if base.kind not in (ARRAY, TREE) else [base], keywords, frame)
        if name not in CHANGING:
            frame.running = 0  # it may wait for the result
        elif base.kind in (UNKNOWN, TREE) and name not in arrays.ARRAY_METHODS:
            self.changes(func.value, frame, traced=name == "pop")
        if isinstance(base.what, ClassInfo) and base.kind in (INSTANCE, TREE, UNKNOWN):
            method = self.instance_attribute(base, name)
            if method.kind in CALLABLE:
                frame.attributes.clear()
                return self.called(node, method, given, frame)
        if name == applied.KEPT:
            applied.kept_is_called(self, args, keywords, open_, frame)
        if base.name == TRACED_ARRAYS and name in arrays.ARRAY_METHODS:
            base = Traced(ARRAY, ABSTRACT, level=frame.trace.level)
        if base.kind in (ARRAY, TREE):
            return self.array_method(node, base, name, args, keywords, frame)
        if base.kind == AT:
            if name not in AT_METHODS:
                return ANYTHING
            strength = self.strength(frame, (base.what, *args))
            found = max(strength, base.what.tracer if base.what.tracer != MAYBE else 0)
            return Traced(ARRAY, found, name=f"at.{name}", dtype=base.what.dtype if name != "get" else "")
        if base.kind in MUTABLE:
            return self.container_method(node, func, base, args, frame)
        if base.kind == TEXT:
            for value in (*args, *keywords.values()):
                if name == "format" and value.traced:
                    self.emit(Formatting, frame, node, value, "format", has_specification(base.constant))
            return TEXTS._replace(what=shown((*args, *keywords.values()))) if name in TEXT_RESULTS else PLAIN
        if base.kind in ("class", FUNCTION):
            return self.called(node, self.attribute_of(func, base, frame), given, frame)
        if base.kind == GENERATOR:
            self.emit(Call, frame, node, f"{base.name}.{name}", tuple(args), keywords, base)
            return Traced(HOST, STATIC, elements=host_size("numpy.random.", args, keywords))
        if base.kind == HOST:
            if any(value.has_traced for value in args):
                return ANYTHING
            return Traced(HOST, STATIC, elements=base.elements if name in ("astype", "copy", "reshape") else 0)
        return ANYTHING

    def array_method(
        self, node: ast.Call, base: Traced, name: str, args: list[Traced], keywords: dict[str, Traced], frame: Frame
    ) -> Traced:
        if name in ("block_until_ready", "copy", "addressable_data"):
            return base._replace(identity=None)
        known = base.kind == ARRAY or (base.tracer >= LINEAR and name in arrays.ARRAY_METHODS | arrays.CONVERSIONS)
        if not known:
            if name in ("replace", "_replace", "_asdict") and base.kind == TREE:
                return base._replace(identity=None, what=None)
            return ANYTHING
        self.emit(Call, frame, node, f".{name}", tuple(args), keywords, base)
        if name in arrays.CONVERSIONS:
            return fetched(f".{name}", [base], node, frame) or PLAIN
        if name not in arrays.ARRAY_METHODS:
            return ANYTHING
        strength = self.strength(frame, (base, *args))
        kind = TREE if name in ("nonzero", "sort") and name == "nonzero" else ARRAY
        found = Traced(kind, strength, name="bool" if name in ("any", "all") else "")
        return described(found, name, node, [base, *args], keywords)

    # ---- functions of libraries

    def library(
        self, node: ast.Call, function: Traced, args: list[Traced], keywords: dict[str, Traced], open_: bool, frame: Frame
    ) -> Traced:
        name = function.name
        if isinstance(function.what, Bound):
            args = [*function.what.args, *args]
            keywords = {**dict(function.what.keywords), **keywords}
        self.emit(Call, frame, node, name, tuple(args), keywords, function)
        for word in keywords:
            if f"{name}({word})" in REMOVED:
                self.emit(Reference, frame, node, f"{name}({word})", target=self.target)
        transferred(self, node, name, args, keywords, frame)
        if (value := fetched(name, args, node, frame)) is not None:
            frame.running = 0
            return value
        if name in REPEATING and args and args[0].kind == FUNCTION and not frame.trace.level:
            if on_device(self.apply(args[0], [], {}, False, frame.trace, frame, node)) and not waits(args[0].what.info.node):
                self.emit(Timing, frame, node, node.lineno)
            return ANYTHING
        if name in TIMERS:
            read = Traced(NUMBER, STATIC, name="clock", what=(node, frame.running))
            frame.running = 0
            return read
        elif (args or keywords) and not name.startswith(arrays.ARRAY_MODULES) and name not in UNFINISHED:
            frame.running = 0  # it may wait for the result
        if name in TRANSFORMS:
            before = self.transform(node, name, args, keywords, open_, frame)
            if before.kind == TRANSFORMED and not TRANSFORMS[name].calls:
                self.announce(node, name, before.what.function, False, frame)
            return before
        if name in CALLED:
            self.called_by(name, args, keywords, frame)
        if name in ("functools.partial", "jax.tree_util.Partial"):
            return self.partial(args, keywords, frame)
        if name in DERIVATIVES:
            return self.derivative(args)
        if name in TRANSPARENT:
            if args and args[0].kind in (FUNCTION, TRANSFORMED) and name != "functools.wraps":
                return with_own_derivative(args[0]) if name in OWN_DERIVATIVES else args[0]
            return Traced(EXTERNAL, STATIC, "transparent")
        if name in ("transparent", "flax.linen.compact", "flax.linen.nowrap"):
            return args[0] if args else ANYTHING
        if name in CALLBACKS:
            if args and args[0].kind == FUNCTION:
                self.uncalled(args[0].what, UNTRACED, frame)
            return Traced(TREE, self.strength(frame, args))
        if name in random.INITIALIZERS:
            return Traced(EXTERNAL, STATIC, random.INITIALIZER)
        if name == random.INITIALIZER:
            self.consume((args[0] if args else keywords.get("key", ANYTHING)).identity, node, frame)
            return Traced(ARRAY, self.strength(frame, args), floating=True)
        if name in random.HAIKU or name.startswith(random.MODULE):
            return self.random_function(node, name, args, keywords, frame)
        if name in MAPPED:
            return self.mapped(node, name, args, keywords, frame)
        if name.startswith(arrays.ARRAY_MODULES):
            return self.array_function(node, name, args, keywords, open_, frame)
        if args and (pair := applied.transformed(name, args[0])) is not None:
            return pair
        if (
            name.startswith("equinox.nn.")
            and (frame.name == "__init__" or frame.loops)
            and (key := keywords.get("key", NOTHING)).identity is not None
        ):
            self.consume(key.identity, node, frame)  # a layer draws its weights
        if arrays.of_library(name):
            return Traced(ARRAY, self.strength(frame, [*args, *keywords.values()]), floating=True)
        if arrays.is_layer(name):
            return Traced(EXTERNAL, STATIC, f"{name}()")
        if is_layer(function):
            strength = ABSTRACT if frame.trace.name == "flax.linen.compact" else self.strength(frame, args)
            return Traced(ARRAY, strength) if strength >= LINEAR and "state" not in keywords else ANYTHING
        if name in MADE:
            item = Traced(args[0].name, level=frame.trace.level) if args and args[0].name in MUTABLE else None
            return Traced(MADE[name], MAYBE, what=item, level=frame.trace.level)
        if name in LOGGERS:
            return Traced(EXTERNAL, STATIC, "logging")
        if name in WRITERS:
            return Traced(EXTERNAL, STATIC, WRITER)
        if name in SEEDED:
            return Traced(GENERATOR, STATIC, name, level=frame.trace.level)
        if name.startswith("numpy."):
            return self.numpy(name, args, keywords)
        if "." not in name:
            return self.builtin(node, name, args, keywords, frame)
        if name.startswith("math."):
            return INTEGER
        if name in ("copy.copy", "copy.deepcopy") and args:
            return args[0]._replace(level=frame.trace.level, identity=None)
        if name in ("jax.device_put", "jax.block_until_ready") and args:
            strength = self.strength(frame, args)
            return args[0]._replace(identity=None) if args[0].kind in (ARRAY, TREE) else Traced(TREE, strength)
        if name == "jax.device_get" and not any(value.has_traced for value in args):
            return ANYTHING
        if args and not open_ and all(self.tracer_in(value) == STATIC for value in (*args, *keywords.values())):
            return PLAIN if not name.startswith(("jax", "flax", "equinox", "optax", "haiku")) else ANYTHING
        return ANYTHING

    def array_function(
        self, node: ast.Call, name: str, args: list[Traced], keywords: dict[str, Traced], open_: bool, frame: Frame
    ) -> Traced:
        last = name.rpartition(".")[2]
        if last in arrays.STATIC_RESULTS or (last == "psum" and args and args[0].kind == NUMBER):
            return PLAIN
        given = [*args, *keywords.values()] + ([ANYTHING] if open_ else [])
        strength = self.strength(frame, given)
        if last in arrays.TUPLES or (last == "where" and len(args) == 1) or last.startswith("p_") or not last.islower():
            return Traced(TREE, strength)
        boolean = last.startswith(("is", "logical_", "greater", "less", "equal", "not_equal")) or last in (
            "any",
            "all",
            "allclose",
        )
        elements = size(args[0]) if last in ("zeros", "ones", "empty", "full") and args else 0
        if last in ("asarray", "array") and args:
            elements = args[0].elements
        found = Traced(ARRAY, strength, name="bool" if boolean else "", floating=True, elements=elements)
        return described(found, last, node, args, keywords)

    def random_function(self, node: ast.Call, name: str, args: list[Traced], keywords: dict[str, Traced], frame: Frame) -> Traced:
        key = args[0] if args else keywords.get("key", keywords.get("rng", ANYTHING))
        strength = self.strength(frame, [*args, *keywords.values()])
        if name in random.MAKERS | random.DERIVED or name == "haiku.next_rng_key":
            constant = "seed" if name != "jax.random.fold_in" and args and args[0].constant is not None else None
            return Traced(ARRAY, strength, name="key", identity=self.fresh(), constant=constant)
        if name in random.USES:
            self.consume(key.identity, node, frame, unison=name in random.UNISON)
            self.draws_from(key, node, frame)
        if len(args) > 1 and name in random.SAMPLERS and name in ("jax.random.normal", "jax.random.uniform"):
            return Traced(ARRAY, strength, floating=True, elements=size(args[1]))
        if name == random.SPLIT:
            return Traced(TREE, strength, name="keys", identity=self.fresh())
        return described(Traced(ARRAY, strength, floating=True), name.rpartition(".")[2], node, args, keywords)

    def numpy(self, name: str, args: list[Traced], keywords: dict[str, Traced]) -> Traced:
        last = name.rpartition(".")[2]
        values = [*args, *keywords.values()]
        if any(value.has_traced for value in values):
            found = max(self.tracer_in(value) for value in values)
            return Traced(ARRAY, found) if last in DUCK_TYPED and last not in arrays.STATIC_RESULTS else PLAIN
        if last in arrays.STATIC_RESULTS or last in arrays.TYPES:
            return PLAIN
        if all(self.tracer_in(value) == STATIC and value.kind != ARRAY for value in values):
            return Traced(HOST, STATIC, elements=host_size(name, args, keywords))
        return ANYTHING

    def builtin(self, node: ast.Call, name: str, args: list[Traced], keywords: dict[str, Traced], frame: Frame) -> Traced:
        first = args[0] if args else ANYTHING
        if name == "bool" and args:
            self.test(node, first, "bool", frame)
            return PLAIN
        if name in NUMBERS:
            return INTEGER._replace(name=name if name in NUMBER_TYPES else "int")
        if name in ("str", "repr", "format", "ascii"):
            if first.traced:
                self.emit(Formatting, frame, node, first, name, len(args) > 1)
            return TEXTS
        if name == "range":
            numbers = [value.constant for value in args]
            count = (
                len(range(*numbers)) if args and all(type(number) is int for number in numbers) and 0 not in numbers[2:] else None
            )
            return Traced(RANGE, STATIC, constant=count)
        if name == "enumerate":
            return Traced(ENUMERATE, first.tracer, items=(first,))
        if name == "zip":
            return Traced(ZIP, MAYBE, items=tuple(args)) if args else ANYTHING
        if name == "sum" and first.kind == ARRAY:
            self.emit(Iteration, frame, node, first, None, ())
        if name in ("list", "tuple", "iter") and is_unordered(first):
            return Traced(LIST, MAYBE, what=UNORDERED, level=frame.trace.level)
        if name in ("list", "tuple", "reversed", "sorted", "iter"):
            if first.kind in CONTAINERS and first.kind != DICT and name != "sorted":
                return first._replace(kind=TUPLE if name == "tuple" else LIST, level=frame.trace.level, identity=None)
            kind = TUPLE if name == "tuple" else LIST
            return Traced(kind, MAYBE if args else STATIC, items=None if args else (), level=frame.trace.level)
        if name == "dict":
            items = tuple(keywords.values()) if not args else None
            return Traced(DICT, MAYBE, items=items, keys=tuple(keywords) if items is not None else (), level=frame.trace.level)
        if name == "setattr" and len(args) == 3:
            frame.attributes.clear()
            self.mutate(node, first, "attribute", args[2], frame, str(args[1].constant or "?"))
            return NOTHING
        if name == "next":
            self.mutate(node, first, name, ANYTHING, frame)
            return element(first, self.strength(frame, args[:1]))
        if name in ("set", "frozenset"):
            keys = first.kind == TREE and first.tracer >= LINEAR  # of a dict: tracers have no hash
            inside = TEXTS if keys else element(first, STATIC)
            return Traced(
                SET, MAYBE, what=inside._replace(name="") if inside.kind in (NUMBER, TEXT) else None, level=frame.trace.level
            )
        if name in ARRAY_RESULTS and (first.kind == ARRAY or (first.traced and name in ("abs", "round", "pow"))):
            return Traced(ARRAY, self.strength(frame, args))
        if name in ("isinstance", "issubclass", "callable", "hasattr", "type", "print"):
            return PLAIN._replace(name=ASKED)
        if name == "map" and first.kind == FUNCTION:
            self.apply(first, [ANYTHING] * (len(args) - 1), {}, False, frame.trace, frame, node)
        if name in ("min", "max", "abs", "round", "sum", "pow") and all(
            value.tracer == STATIC and value.kind in (NUMBER, UNKNOWN) for value in args
        ):
            return INTEGER if all(value.kind == NUMBER for value in args) else PLAIN
        return ANYTHING
