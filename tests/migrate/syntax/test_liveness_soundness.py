"""Liveness is sound: programs are run, and every read and write of a variable is watched.

Module-level code runs in a dictionary that logs; the analysis sees the same statements as the body of a function.
"""

import contextlib
import random
import textwrap
from types import FunctionType, GeneratorType

import libcst as cst
import pytest

from np2jax.migrate.syntax.liveness import live
from np2jax.migrate.syntax.locations import positions
from np2jax.migrate.syntax.source import parse

VARIABLES = "wxyz"


class Stop(BaseException):
    """Ends a run: a `return`, or one that takes too long."""


class Log(dict):
    """The variables of a run: what was read and written, and where the run was."""

    def __init__(self, choices):
        super().__init__()
        self.events = []
        self.choices = random.Random(choices)
        self.steps = 0

    def __getitem__(self, name):
        if name in VARIABLES:
            self.events.append(("read", name))
        return super().__getitem__(name)

    def __setitem__(self, name, value):
        if name in VARIABLES:
            self.events.append(("write", name))
        super().__setitem__(name, value)

    def __delitem__(self, name):
        if name in VARIABLES:
            self.events.append(("write", name))
        super().__delitem__(name)

    def choose(self, n):
        self.steps += 1
        if self.steps > 300:
            raise Stop
        return self.choices.randrange(n)


def run(code, choices):
    """Run a program with random conditions and exceptions; gives the events: ("read" | "write" | "before" | "after", what)."""
    log = Log(choices)

    class Value:
        def __getitem__(self, index):
            return Value()

        def __setitem__(self, index, value):
            pass

        def __delitem__(self, index):
            pass

        def __add__(self, other):
            return Value()

        __iadd__ = __add__

        def __iter__(self):
            while log.choose(3):
                yield Value()

        def __call__(self, *args):
            return may_raise()

    def may_raise(*args):
        for argument in args:
            if isinstance(argument, (FunctionType, type)) and log.choose(2):
                argument()
            elif isinstance(argument, GeneratorType) and log.choose(2):
                list(argument)
        if log.choose(8) == 0:
            raise ValueError if log.choose(2) else KeyError
        return Value()

    class Manager:
        def __init__(self, *args):
            pass

        def __enter__(self):
            return may_raise()

        def __exit__(self, *error):
            return self.swallows and log.choose(2) == 0

        swallows = True

    class Errstate(Manager):
        swallows = False

    def stop(*args):
        raise Stop

    def subject(*args):
        return [[Value(), Value()], {"k": Value()}, Value(), [1]][log.choose(4)]

    dict.update(
        log,
        cond=lambda *args: log.choose(2) == 0,
        call=may_raise,
        manager=Manager,
        errstate=Errstate,
        subject=subject,
        stop=stop,
        mark=lambda when, number: log.events.append((when, number)),
        pair=lambda *args: (Value(), Value()),
    )
    for name in VARIABLES:
        if log.choose(8):
            dict.__setitem__(log, name, Value())
    with contextlib.suppress(Stop, Exception):
        exec(code, log)
    return log.events


class Writer:
    """Writes random programs twice: as the body of a function, and as a module that reports where it is."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.plain = []
        self.marked = []

    def pick(self, options):
        return self.random.choice(options)

    def name(self):
        return self.pick(VARIABLES)

    def expression(self, depth=2, walrus=True):
        kind = self.random.randint(0, 11 if depth else 1)
        # a run would miss what `:=` stores from within a comprehension
        walrus = walrus and kind not in (5, 10, 11)

        def inner():
            return self.expression(depth - 1, walrus)

        match kind:
            case 3 | 4:
                return f"call({inner()})"
            case 5:
                return f"[{inner()} for {self.name()} in {inner()} if cond({self.name()})]"
            case 6 if walrus:
                return f"({self.name()} := {inner()})"
            case 7:
                return f"({inner()} if cond({self.name()}) else {inner()})"
            case 8:
                return f"(cond({self.name()}) and {inner()})"
            case 9:
                return f"(lambda {self.name()}: {inner()})"
            case 10:
                return f"list({inner()} for {self.name()} in {inner()})"
            case 11:
                return f"({inner()} for {self.name()} in {inner()})"
        return self.name()

    def line(self, indent, text, marked=None):
        self.plain.append(" " * indent + text)
        self.marked.append(" " * indent + (text if marked is None else marked))

    def statement(self, indent, depth, loop):
        number = len(self.plain) + 1
        self.marked.append(" " * indent + f"mark('before', {number})")
        kinds = ["assign"] * 4 + ["tuple", "item", "augmented", "delete", "expression", "return", "raise", "annotated"]
        kinds += {"": [], "loop": ["break", "continue"], "finally": ["break"]}[loop]  # `continue` there may never end
        kinds += ["if", "if", "for", "while", "try", "try", "finally", "with", "match", "def", "class"] if depth else []
        kind = self.pick(kinds)
        getattr(self, f"write_{kind}")(indent, depth, loop)
        if kind not in ("return", "raise", "break", "continue"):
            self.marked.append(" " * indent + f"mark('after', {number})")

    def block(self, indent, depth, loop):
        for _ in range(self.random.randint(1, 3)):
            self.statement(indent, depth, loop)

    def write_assign(self, indent, depth, loop):
        self.line(indent, f"{self.name()} = {self.expression()}")

    def write_annotated(self, indent, depth, loop):
        self.line(indent, f"{self.name()}: int = {self.expression()}")

    def write_tuple(self, indent, depth, loop):
        self.line(indent, f"{self.name()}, {self.name()} = pair({self.expression()})")

    def write_item(self, indent, depth, loop):
        self.line(indent, f"{self.name()}[{self.expression(1)}] = {self.expression(1)}")

    def write_augmented(self, indent, depth, loop):
        self.line(indent, f"{self.name()} += call({self.expression(1)})")  # a list to which its own iterator is added never ends

    def write_delete(self, indent, depth, loop):
        self.line(indent, f"del {self.name()}")

    def write_expression(self, indent, depth, loop):
        self.line(indent, self.expression())

    def write_raise(self, indent, depth, loop):
        self.line(indent, f"raise ValueError({self.name()})")

    def write_return(self, indent, depth, loop):
        value = self.expression(1)
        self.line(indent, f"return {value}", f"stop({value})")

    def write_break(self, indent, depth, loop):
        self.line(indent, "break")

    def write_continue(self, indent, depth, loop):
        self.line(indent, "continue")

    def write_if(self, indent, depth, loop):
        self.line(indent, f"if cond({self.expression(1)}):")
        self.block(indent + 1, depth - 1, loop)
        if self.random.getrandbits(1):
            self.line(indent, f"elif cond({self.expression(1)}):")
            self.block(indent + 1, depth - 1, loop)
        if self.random.getrandbits(1):
            self.line(indent, "else:")
            self.block(indent + 1, depth - 1, loop)

    def write_for(self, indent, depth, loop):
        self.line(indent, f"for {self.name()} in call({self.expression(1)}):")
        self.loop_body(indent, depth, loop)

    def write_while(self, indent, depth, loop):
        test = self.pick(["True", f"cond({self.expression(1)})"])
        self.line(indent, f"while {test}:")
        self.loop_body(indent, depth, loop)

    def loop_body(self, indent, depth, loop):
        self.line(indent + 1, "call()")
        self.block(indent + 1, depth - 1, "loop")
        if self.random.getrandbits(1):
            self.line(indent, "else:")
            self.block(indent + 1, depth - 1, loop)

    def write_try(self, indent, depth, loop):
        self.line(indent, "try:")
        self.block(indent + 1, depth - 1, loop)
        self.line(indent, f"except ValueError{self.pick(['', f' as {self.name()}'])}:")
        self.block(indent + 1, depth - 1, loop)
        if self.random.getrandbits(1):
            self.line(indent, f"except {self.pick(['KeyError', 'Exception'])} as {self.name()}:")
            self.block(indent + 1, depth - 1, loop)
        if self.random.getrandbits(1):
            self.line(indent, "else:")
            self.block(indent + 1, depth - 1, loop)
        if self.random.getrandbits(1):
            self.line(indent, "finally:")
            self.block(indent + 1, depth - 1, loop and "finally")

    def write_finally(self, indent, depth, loop):
        self.line(indent, "try:")
        self.block(indent + 1, depth - 1, loop)
        self.line(indent, "finally:")
        self.block(indent + 1, depth - 1, loop and "finally")

    def write_with(self, indent, depth, loop):
        manager = self.pick(["manager", "errstate"])
        target = self.pick(["", f" as {self.name()}", f" as {self.name()}, errstate({self.name()}) as {self.name()}"])
        self.line(indent, f"with {manager}({self.expression(1)}){target}:")
        self.block(indent + 1, depth - 1, loop)

    def write_match(self, indent, depth, loop):
        self.line(indent, f"match subject({self.expression(1)}):")
        a, b = self.random.sample(VARIABLES, 2)
        guard = self.pick(["", f" if cond({self.name()})"])
        patterns = [f"[{a}, {b}]{guard}", f"[{a}, *{b}]{guard}", f'{{"k": {a}, **{b}}}{guard}', f"[_] as {a}{guard}"]
        for pattern in self.random.sample(patterns, self.random.randint(1, 2)):
            self.line(indent + 1, f"case {pattern}:")
            self.block(indent + 2, depth - 1, loop)
        if self.random.getrandbits(1):
            self.line(indent + 1, f"case {self.pick(['_', a])}:")
            self.block(indent + 2, depth - 1, loop)

    def write_def(self, indent, depth, loop):
        name, parameter = self.name(), self.name()
        self.line(indent, f"def {name}({parameter}={self.name()}, *_):")
        outer = self.name()
        if outer != parameter:
            self.line(indent + 1, f"nonlocal {outer}", f"global {outer}")
            self.line(indent + 1, f"{outer} = {self.expression(1)}")
        self.line(indent + 1, f"return {self.expression(1)}")

    def write_class(self, indent, depth, loop):
        self.line(indent, f"class {self.name()}:")
        self.line(indent + 1, f"{self.name()} = {self.expression(1)}")
        self.line(indent + 1, f"def __init__(self): return {self.expression(1)}")


def check_against_runs(seed, runs):
    """Every variable that is read before it is written again must have been live."""
    writer = Writer(seed)
    writer.block(0, seed % 4, "")
    body = textwrap.indent("\n".join(writer.plain), " ")
    source = parse("a.py", "a", False, f"def f():\n{body}\n".encode())
    flow = live(source.module.body[0])
    statements = [n for n in source.parents if isinstance(n, (cst.SimpleStatementLine, cst.BaseCompoundStatement))]
    numbered = {place[0] - 1: node for node, place in positions(source, statements).items()}
    try:
        code = compile("\n".join(writer.marked), "program", "exec")
    except SyntaxError:  # `:=` is not allowed everywhere in comprehensions
        return False
    for choices in range(runs):
        pending = {}  # variable -> the next thing that happens to it, going backwards
        for what, which in reversed(run(code, choices)):
            if what in ("read", "write"):
                pending[which] = what
                continue
            sets = flow.before if what == "before" else flow.after
            needed = {name for name, next_use in pending.items() if next_use == "read"}
            missed = needed - sets[numbered[which]]
            assert not missed, f"{missed} {what} line {which} of program {seed}, run {choices}:\n{body}"
    return True


def test_every_variable_that_is_read_later_is_live():
    assert sum(check_against_runs(seed, runs=8) for seed in range(400)) > 350


@pytest.mark.slow
def test_every_variable_that_is_read_later_is_live_in_many_programs():
    assert sum(check_against_runs(seed, runs=8) for seed in range(400, 2000)) > 1400
