"""The attributes of arrays, modules, classes and objects, and the methods of containers."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...rules.facts.traced_values import (
    ABSTRACT,
    ANYTHING,
    ARRAY,
    CLASS,
    DICT,
    EXTERNAL,
    FUNCTION,
    GENERATOR,
    HOST,
    INSTANCE,
    LINEAR,
    LIST,
    MAYBE,
    MUTABLE,
    NONE,
    NUMBER,
    PLAIN,
    STATIC,
    TEXT,
    TRANSFORMED,
    TREE,
    TUPLE,
    UNKNOWN,
    Traced,
)
from ...rules.jax_table import array_functions as arrays
from . import applied
from .conditions import Conditions
from .machine import TRACED_ARRAYS
from .operators import AT, ITEMS, KEYS
from .program import HOST as UNTRACED
from .program import Bound, ClassInfo, Closure, Frame, FunctionInfo
from .queries import binds, is_class_method, is_static, properties

SHAPES = frozenset({"shape", "ndim", "dtype"})
CHANGING = frozenset(
    "append extend insert remove pop clear sort reverse update setdefault popitem add discard appendleft popleft".split()
)
TAKING = frozenset("pop popitem remove popleft".split())
PLAIN_BASES = frozenset(
    "object abc.ABC typing.Generic typing.Protocol typing.NamedTuple equinox.Module flax.struct.PyTreeNode".split()
)

# Bases and decorators that make a class a pytree whose fields are its children, but for those that are marked as static.
PYTREES = frozenset(
    """
    NamedTuple typing.NamedTuple equinox.Module flax.struct.PyTreeNode flax.struct.dataclass chex.dataclass
    jax.tree_util.register_dataclass
    """.split()
)


DERIVATIVES = frozenset({"derivative.defjvp", "derivative.defvjp"})  # how the methods that define a derivative are called here
CONSTRUCTORS = frozenset({"__init__", "setup"})  # `setup` of Flax


def component(value: Traced) -> Traced | None:
    """What is known of an attribute that the constructor alone binds: a container, a function, a layer, an array of JAX."""
    if value.kind in MUTABLE or value.kind in (TRANSFORMED, FUNCTION, GENERATOR) or is_layer(value):
        return value
    return Traced(ARRAY, MAYBE, floating=True) if value.kind == ARRAY and value.floating else None


def made_by(cls: ClassInfo, name: str) -> Traced | None:
    """What the constructor of a class, or of a base, binds to an attribute that no other method binds."""
    if name in cls.made and not cls.bases:
        return cls.made[name]
    lineage = cls.lineage() if cls.bases else ()
    value = next((each.made[name] for each in lineage if name in each.made), None)
    if value is None or sum(binds(each.node, name) for each in lineage) != 1:
        return None
    return value


def is_layer(value: Traced) -> bool:
    """Whether a value is a module of a library that gives an array for an array."""
    return value.kind == EXTERNAL and value.name.endswith("()")


def result_of_argument(function: Traced, args: Sequence[Traced], level: int) -> Traced | None:
    """What an argument of a transformed function gives, if it is called with arrays: it is a module whose parameters are tracers."""
    if not any(value.abstract or value.name == TRACED_ARRAYS for value in args):
        return None
    if function.kind == TREE and function.abstract:
        return Traced(TREE, ABSTRACT, level=level)
    return ANYTHING._replace(name=TRACED_ARRAYS) if function.name == TRACED_ARRAYS else None


def is_plain(cls: ClassInfo, name: str) -> bool:
    """Whether reading an attribute gives what was assigned to it, and runs no code."""
    return cls.every_base() <= PLAIN_BASES and cls.method(name) is None and cls.method("__getattr__") is None


def property_of(cls: ClassInfo, name: str) -> Traced | None:
    """The function that computes a property of an object."""
    value, owner = cls.method(name) or (ANYTHING, cls)
    if value.kind != FUNCTION or name not in properties(owner.node) or len(value.what.info.node.args.args) != 1:
        return None
    return value


def is_static_method(value: Traced) -> bool:
    """Whether a function that is transformed gets no object before its arguments."""
    while value.kind == TRANSFORMED:
        value = value.what.function
    return value.kind == FUNCTION and bool(value.what.info.is_static)


def of_class(value: Traced, cls: ClassInfo) -> Traced | None:
    """A class method, which gets the class before its arguments."""
    inner = value
    while inner.kind == TRANSFORMED:
        inner = inner.what.function
    if inner.kind != FUNCTION or not is_class_method(inner.what.info.node):
        return None
    owner = Traced(CLASS, STATIC, what=cls)
    if value.kind == TRANSFORMED:
        return value._replace(keys=("bound",), items=(owner,))
    return value._replace(what=value.what._replace(args=(owner, *value.what.args)))


def receiver(info: FunctionInfo) -> Traced:
    """What a method gets before its arguments."""
    return Traced(CLASS if is_class_method(info.node) else INSTANCE, STATIC, what=info.owner)


class Attributes(Conditions):
    def attribute(self, node: ast.Attribute, frame: Frame) -> Traced:
        base = self.evaluate(node.value, frame)
        if isinstance(base.what, ClassInfo) and base.kind in (INSTANCE, TREE) and (getter := property_of(base.what, node.attr)):
            caught, frame.caught = frame.caught, True  # what a property assigns is a cache
            value = self.apply(getter._replace(what=getter.what._replace(args=(base,))), [], {}, False, frame.trace, frame)
            frame.caught = caught
            return value
        value = self.attribute_of(node, base, frame)
        unknown = value.kind in (UNKNOWN, TREE, ARRAY) and value.identity is None
        if unknown and isinstance(node.value, ast.Name) and isinstance(base.what, ClassInfo) and is_plain(base.what, node.attr):
            number = frame.attributes.setdefault((node.value.id, node.attr), self.counter + 1)
            self.counter = max(self.counter, number)
            return value._replace(identity=number)
        return value

    def attribute_of(self, node: ast.Attribute, base: Traced, frame: Frame) -> Traced:
        name = node.attr
        match base.kind:
            case "external" if base.name == applied.PAIR and (own := applied.member(base, name)) is not None:
                return own
            case "external" if is_layer(base):
                return ANYTHING
            case "external":
                return self.external(node, f"{base.name}.{name}", frame)
            case "module":
                return self.attribute_of_module(base.what, name)
            case "array" | "tree":
                return self.array_attribute(base, name, frame)
            case "instance":
                return self.instance_attribute(base, name)
            case "class":
                cls: ClassInfo = base.what
                found = cls.method(name)
                if found is None or (found[0].kind in (TEXT, NUMBER) and cls.every_base() - {"object"}):
                    return ANYTHING
                return of_class(found[0], cls) or found[0]
            case "function" if f"derivative.{name}" in DERIVATIVES and base.what.info.own_derivative:
                return Traced(EXTERNAL, STATIC, f"derivative.{name}", what=Bound((base,)))
            case "host":
                return PLAIN if name in arrays.STATIC_ATTRIBUTES else Traced(HOST, STATIC)
        if base.kind == UNKNOWN and isinstance(base.what, ClassInfo):
            return self.instance_attribute(base, name)
        return PLAIN if name in SHAPES or base.kind in (NUMBER, TEXT, NONE) else ANYTHING

    def array_attribute(self, base: Traced, name: str, frame: Frame) -> Traced:
        if name == "at":
            return Traced(AT, base.tracer, what=base)
        if isinstance(base.what, ClassInfo):
            return self.instance_attribute(base, name)
        if name in arrays.STATIC_ATTRIBUTES and (base.kind == ARRAY or name in SHAPES):
            return PLAIN
        if name in arrays.ARRAY_ATTRIBUTES:
            return Traced(ARRAY, base.tracer) if base.kind == ARRAY else Traced(TREE, MAYBE)
        return ANYTHING

    def instance_attribute(self, base: Traced, name: str) -> Traced:
        cls: ClassInfo = base.what
        if base.items is not None and name in base.keys:
            return base.items[base.keys.index(name)]
        found = cls.method(name)
        if name == "apply" and (whole := applied.of_module(cls, self.instance_attribute(base, "__call__"))) is not None:
            return whole
        if found is None and (value := made_by(cls, name)) is not None:
            if value.kind in MUTABLE:
                return value._replace(name="attribute", items=None, keys=(), what=None, level=base.level)
            return value
        if found is None:
            return self.field(cls, name, base.tracer if base.tracer >= LINEAR else MAYBE)
        value, owner = found
        if (method := of_class(value, cls)) is not None:
            return method
        if value.kind == FUNCTION and isinstance(value.what, Closure):
            closure = value.what
            if closure.info.is_static or closure.info.owner is None:
                return value
            if closure.info.name in properties(owner.node):
                return ANYTHING
            return value._replace(what=closure._replace(args=(base, *closure.args)))
        if value.kind == TRANSFORMED:
            return value if is_static_method(value) else value._replace(keys=("bound",), items=(base,))
        if value.kind in MUTABLE:
            return value._replace(items=None, keys=(), what=None)
        if name in owner.fields():
            value = value._replace(constant=None)  # a default
        return ANYTHING if value.kind not in (NUMBER, TEXT) else value  # None is most often a default

    def field(self, cls: ClassInfo, name: str, tracer: int) -> Traced:
        """A field of an object whose arrays have this strength, by its annotation."""
        fields = cls.fields()
        if name not in fields or tracer < LINEAR:
            return ANYTHING
        decorators = frozenset().union(*(each.decorators for each in cls.lineage()))
        if not cls.every_base() & PYTREES and not decorators & PYTREES:
            return ANYTHING
        if isinstance(made := fields[name].value, ast.Call) and any(map(is_static, made.keywords)):
            return ANYTHING
        annotation, home = fields[name].annotation, Frame(cls.file, cls.scope, UNTRACED)
        if self.is_array_annotation(annotation, home):
            return Traced(ARRAY, tracer)
        found = self.evaluate(annotation, home) if isinstance(annotation, ast.Name | ast.Attribute) else ANYTHING
        if found.kind == EXTERNAL and arrays.is_layer(found.name):
            return Traced(EXTERNAL, STATIC, f"{found.name}()")
        return Traced(TREE, tracer, what=found.what) if self.is_pytree_annotation(annotation, home) else ANYTHING

    def is_pytree_annotation(self, node: ast.expr | None, frame: Frame) -> bool:
        """Whether an annotation promises an object of the project whose fields are arrays, or hold such."""
        found = self.evaluate(node, frame) if isinstance(node, ast.Name | ast.Attribute) else ANYTHING
        return found.kind == CLASS and bool(found.what.every_base() & PYTREES)

    def is_array_annotation(self, node: ast.expr | None, frame: Frame) -> bool:
        """Whether an annotation promises one array of JAX."""
        if node is None:
            return False
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                node = ast.parse(node.value, mode="eval").body
            except SyntaxError:
                return False
        if isinstance(node, ast.Subscript):
            found = self.evaluate(node.value, frame)
            return found.kind == EXTERNAL and found.name.removeprefix("jaxtyping.") in arrays.SHAPED_ANNOTATIONS
        if not isinstance(node, ast.Name | ast.Attribute):
            return False
        found = self.evaluate(node, frame)
        return found.kind == EXTERNAL and found.name in arrays.ANNOTATIONS

    def container_method(self, node: ast.Call, func: ast.Attribute, base: Traced, args: list[Traced], frame: Frame) -> Traced:
        name = func.attr
        if name in TAKING and base.items == ():
            return ANYTHING  # it raises, so it does not run
        if name in CHANGING:
            value = args[-1] if args else ANYTHING
            self.mutate(node, base, name, value, frame)
            grown = base.kind == LIST and name == "append" and base.items == () and base.level >= frame.trace.level
            self.changes(func.value, frame, value if grown else base.what if base.what == value else None)
            return ANYTHING
        if base.kind == DICT and name in ("items", "values", "keys"):
            if name == "items":
                return Traced(ITEMS, base.tracer, items=(base,))
            if name == "keys":
                return Traced(KEYS, STATIC)
            return Traced(TUPLE, base.tracer, items=base.items)
        if name == "copy":
            return base._replace(level=frame.trace.level)
        if name == "get" and base.kind == DICT and args and args[0].constant in base.keys and base.items is not None:
            return base.items[base.keys.index(str(args[0].constant))]
        return PLAIN if name in ("index", "count") else ANYTHING
