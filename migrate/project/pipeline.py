"""Convert a project in memory: read all files, understand them together, rewrite them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ...rules.core.diagnostic import Diagnostic
from ...rules.core.facts import NOTHING, FunctionPlan, Value
from ...rules.syntax.tree import remembering
from ..analysis.state.interpreter_state import Facts
from ..linking.class_hierarchy import Attribute
from ..linking.linker import decide, link
from ..linking.refusal_propagation import Settings
from ..lowering.loop_outlining import Moved
from ..lowering.rectangular_loops import Place
from ..rewriting.rewriter import Choice, Rewritten
from ..summaries.units import MODULE, ModuleSummary, UnitSummary, written_name
from . import garbage_collection
from .outcome import Conversion, FileOutcome, FunctionOutcome, Options, ProjectFile
from .workers import Workers, started

MOST_ROUNDS = 16
MOST_TRIALS = 1  # of loops inside of loops that cannot be moved: each looks at all files again
OUTLINED = "NJ418"
DESUGARED = "NJ421"
AT_ONCE = ("NJ410", "NJ411")
DONATING = ("NJ501", "NJ505")


def convert_files(files: Sequence[ProjectFile], options: Options) -> Conversion:
    """Convert all files together. Nothing is written; a file that cannot be read is reported, the others are converted."""
    files = with_siblings(named_apart(files))
    with garbage_collection.paused(), remembering(), started(files, options.jobs) as shards:
        summaries = {s.name: s for s in shards.read()}
        kept = {name: ("NJ000", reason) for name, reason in options.kept}
        settings = Settings(kept, options.unjitted, options.public, options.random == "host", options.trip_counts == "static")
        chosen = Choice(options.select, options.ignore)
        settings = replace(settings, donates=all(map(chosen.runs, DONATING)))
        facts, settings = understood(shards, summaries, settings)
        facts, settings = written_plainly(shards, summaries, facts, settings, chosen)
        apart, shaped, as_they_are = facts, frozenset[Place](), set[Place]()
        if all(map(chosen.runs, AT_ONCE)):
            shards.before_rectangles(facts)
            facts, settings, shaped = as_rectangles(shards, summaries, apart, settings, as_they_are)
        entries = entry_points(files, summaries)
        taken = taken_names(summaries)
        choices = {
            name: Choice(
                options.select,
                options.ignore,
                options.unsafe,
                options.precision,
                name in entries,
                options.strict,
                frozenset(taken[name]),
            )
            for name in summaries
        }
        while True:
            decide(facts, summaries.values(), settings)
            rewritten = shards.rewrite(facts, choices)
            refused = {name: why for r in rewritten.values() for name, why in r.refused.items() if not facts.plans[name].refused}
            if not refused:
                break
            settings = replace(settings, kept={**settings.kept, **refused})
            if left := {place for place in shaped if place[0] in refused}:
                as_they_are |= left
                facts, settings, shaped = as_rectangles(shards, summaries, apart, settings, as_they_are)
        return outcome(files, shards.errors, summaries, facts, rewritten)


def named_apart(files: Sequence[ProjectFile]) -> list[ProjectFile]:
    """Files with module names of their own: two folders may each hold a `main.py`."""
    seen: dict[str, int] = {}
    found = []
    for file in files:
        seen[file.module] = seen.get(file.module, 0) + 1
        found.append(file if seen[file.module] == 1 else file._replace(module=f"{file.module}@{seen[file.module]}"))
    return found


def with_siblings(files: Sequence[ProjectFile]) -> list[ProjectFile]:
    """Files that know what scripts beside them are called: `import util` in one/main.py is one/util.py, not two/util.py."""
    packages = {f.path.parent for f in files if f.path.name == "__init__.py"}
    beside: dict[Path, dict[str, str]] = {}
    roots = []
    for file in files:
        root = file.path.parent
        while root in packages:
            root = root.parent
        roots.append(root)
        parts = file.path.relative_to(root).with_suffix("").parts
        inside = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        name = file.module.partition("@")[0]
        if file.module != inside and (name == inside or name.endswith(f".{inside}")):
            known = file.module if "." not in inside else name.removesuffix(inside.partition(".")[2]).rstrip(".")
            beside.setdefault(root, {})[parts[0]] = known
    return [f._replace(siblings=tuple(beside.get(root, {}).items())) for f, root in zip(files, roots, strict=True)]


def understood(shards: Workers, summaries: dict[str, ModuleSummary], settings: Settings) -> tuple[Facts, Settings]:
    """The facts about all files and what becomes of each unit, with the units that must be kept since nobody knows what they do."""
    facts, settings = settle(shards, summaries, settings)
    decide(facts, summaries.values(), settings)
    return facts, settings


def written_plainly(
    shards: Workers, summaries: dict[str, ModuleSummary], facts: Facts, settings: Settings, choice: Choice
) -> tuple[Facts, Settings]:
    """Loops and branches that Python writes shortly are written plainly where jit compiles them then; the others stay. Loops that
    stand where jit does not are moved.

    What was understood stays known: the functions do what they did.
    """
    first, before, as_written = settings, facts.plans, (facts, settings)
    without: set[str] = set()
    shards.before_desugaring(facts, settings.unjitted)
    while True:
        changed, units = shards.desugar(without) if choice.runs(DESUGARED) else ([], [])
        if changed:
            summaries.update((summary.name, summary) for summary in changed)
            facts, settings = understood(shards, summaries, first) if units else as_written
        vain = {n for n in units if not gained(before[n], facts.plans[n])}
        if hopeless := vain - {u.name for s in summaries.values() for u in s.units if u.turns}:  # no loop of theirs may move
            without |= hopeless
            continue
        moved: Sequence[Moved] = ()
        if choice.runs(OUTLINED):
            facts, settings, moved = with_loops_moved(shards, summaries, facts, settings)
        bad = {n for n in units if not gained(before[n], facts.plans[n])} - {m.owner for m in moved}
        if not bad:
            return facts, settings
        without |= bad


def gained(before: FunctionPlan, after: FunctionPlan) -> bool:
    """Whether jit compiles a function that it did not compile before, or for more arguments at once, or without unrolling it."""
    if before.jit and not before.static_args:
        return after.jit and not after.static_args and not after.unrolled
    return after.jit and not (before.jit and set(before.static_args) <= set(after.static_args))


def with_loops_moved(
    shards: Workers, summaries: dict[str, ModuleSummary], facts: Facts, settings: Settings
) -> tuple[Facts, Settings, Sequence[Moved]]:
    """Loops that stand where jit does not become functions of their own, where jit compiles those; the others stay. What was
    moved."""
    shards.before_moving(facts, settings.unjitted)
    found, known = facts, settings
    without: set[tuple[str, int]] = set()
    only: set[tuple[str, int]] | None = None
    trial = 0
    while True:
        changed, moved = shards.outline(without, only)
        if not changed:
            return found, known, moved
        summaries.update((summary.name, summary) for summary in changed)
        found, known = understood(shards, summaries, settings)
        bad = {m.loop for m in moved if not compiles_once(m, found)}
        if not bad:
            return found, known, moved
        without |= bad  # loops inside of these may do
        only = {m.loop for m in moved} - bad if trial >= MOST_TRIALS else None
        trial += 1


def as_rectangles(
    shards: Workers, summaries: dict[str, ModuleSummary], facts: Facts, settings: Settings, without: set[Place]
) -> tuple[Facts, Settings, frozenset[Place]]:
    """Loops whose number of turns differs from turn to turn of a loop around are written as rectangles, where all of their turns are
    taken at once then; the others, and those in `without`, which gets them, stay. Which are."""
    found, known = facts, settings
    while True:
        changed, loops = shards.make_rectangles(without)
        if not changed:
            return found, known, frozenset(loops)
        summaries.update((summary.name, summary) for summary in changed)
        found, known = understood(shards, summaries, settings)
        units = {name for name, _number in loops}
        worse = {name for name in units if not as_good(facts.plans[name], found.plans[name])}
        bad = {place for place in loops if place[0] in worse} | (shards.one_by_one(found, units) & {*loops})
        if not bad:
            return found, known, frozenset(loops)
        without |= bad


def as_good(before: FunctionPlan, after: FunctionPlan) -> bool:
    """Whether jit compiles a function as it did before, for as many arguments at once."""
    return after.jit and not after.refused and set(after.static_args) <= set(before.static_args)


def compiles_once(moved: Moved, facts: Facts) -> bool:
    """Whether jit compiles a loop that stands in a function now, and not anew in each turn of a loop around."""
    plan = facts.plans[moved.function]
    return plan.jit and not facts.plans[moved.owner].refused and moved.varying.isdisjoint(plan.static_args)


def settle(shards: Workers, summaries: dict[str, ModuleSummary], settings: Settings) -> tuple[Facts, Settings]:
    """Summarise and link until nothing changes. Facts only become surer, but for effects, which only grow, and for attributes
    of objects that are not what they were hoped to be.

    Returns the facts, and the settings with the units that must be kept since they never settled, and with the vain hopes.
    """
    facts, unstable, vain = _settle(shards, summaries, settings, hopeful=True)
    if unstable:
        facts, unstable, vain = _settle(shards, summaries, settings, hopeful=False)
    kept = {name: ("NJ214", "its effects could not be determined") for name in unstable if name in facts.functions}
    return facts, replace(settings, kept={**settings.kept, **kept}, vain=settings.vain | vain)


def _settle(
    shards: Workers, summaries: dict[str, ModuleSummary], settings: Settings, hopeful: bool
) -> tuple[Facts, frozenset[str], frozenset[tuple[Attribute, Value]]]:
    """The facts, the units about which they did not settle, and what attributes are not, though it was hoped."""
    facts = link(summaries.values(), settings)
    assumed: dict[Attribute, Value] = {}
    vain = settings.vain
    unstable: set[str] = set()
    for _round in range(MOST_ROUNDS):
        changed = shards.summarise(facts)
        unstable = set()
        for summary in changed:
            before = summaries[summary.name]
            unstable |= {new.name for new, old in zip(summary.units, before.units, strict=True) if new != old}
            summaries[summary.name] = summary
        if not changed:
            vain |= {(a, assumed[a]) for a in facts.broken}
            hopes = [(a, value) for a, values in facts.hoped.items() for value in values[::-1]] if hopeful else []
            hoped = dict(hope for hope in hopes if hope not in vain)  # the first one that is left
            if not (hoped or facts.broken):
                return facts, NOTHING, vain
            assumed = {a: value for a, value in {**assumed, **hoped}.items() if (a, value) not in vain}
        facts = link(summaries.values(), settings, facts, assumed)
    shards.summarise(facts)
    return facts, frozenset(unstable), vain


def taken_names(summaries: Mapping[str, ModuleSummary]) -> dict[str, set[str]]:
    """The names that other modules import from each module, which must stay there; "*" for all."""
    found: dict[str, set[str]] = {name: set() for name in summaries}
    for summary in summaries.values():
        for dotted in (*summary.imports, *(f"{star}.*" for star in summary.stars)):
            owner, _dot, name = dotted.rpartition(".")
            if owner in found:
                found[owner].add(name)
    return found


def entry_points(files: Sequence[ProjectFile], summaries: Mapping[str, ModuleSummary]) -> frozenset[str]:
    """Modules that a program starts with: top-level packages, scripts, and modules that no other module imports."""
    imported = {target for s in summaries.values() for _n, target in s.exports} | {
        i for s in summaries.values() for i in s.imports
    }
    found = set()
    packages = {f.module for f in files if f.path.name == "__init__.py"}
    for file in files:
        if file.module not in summaries:
            continue
        top = file.module.partition(".")[0]
        if top in packages:
            summary = summaries[file.module]
            own = any(i == top or i.startswith(top + ".") for i in summary.imports)
            if file.module == top or (summary.script and not own):  # a script that imports its package has run its __init__
                found.add(file.module)
        elif summaries[file.module].script or not any(i == file.module or i.startswith(file.module + ".") for i in imported):
            found.add(file.module)
    converted = {s.name for s in summaries.values() if any(i.partition(".")[0] == "numpy" for i in s.imports)}
    tops = {c.partition(".")[0] for c in converted}
    return frozenset(f for f in found if f in converted or f.partition(".")[0] in tops or reaches(f, summaries, converted))


def reaches(name: str, summaries: Mapping[str, ModuleSummary], wanted: set[str]) -> bool:
    """Whether a module imports, directly or not, one of the modules that are wanted."""
    seen, work = {name}, [name]
    while work:
        at = work.pop()
        if at in wanted:
            return True
        for target in (*summaries[at].imports, *(t for _n, t in summaries[at].exports)):
            while target and target not in summaries:
                target = target.rpartition(".")[0]
            if target and target not in seen:
                seen.add(target)
                work.append(target)
    return False


def outcome(
    files: Sequence[ProjectFile],
    errors: Mapping[str, str],
    summaries: Mapping[str, ModuleSummary],
    facts: Facts,
    rewritten: Mapping[str, Rewritten],
) -> Conversion:
    done: list[FileOutcome] = []
    functions: list[FunctionOutcome] = []
    for file in files:
        name = file.module.partition("@")[0]
        if error := errors.get(str(file.path), ""):
            done.append(FileOutcome(file.path, name, None, error=error))
            continue
        result, summary = rewritten[file.module], summaries[file.module]
        done.append(FileOutcome(file.path, name, result.data, tuple(sorted(result.diagnostics, key=by_place))))
        with_numpy = {result.moved.get(u.name, u.name) for u in summary.units if u.numpy_used}
        for unit in summary.units:
            uses_numpy = unit.name in with_numpy
            if unit.name not in result.moved and not summary.tests and (uses_numpy or not unit.name.endswith(MODULE)):
                functions.append(function_outcome(file, unit, facts.plans[unit.name], result, uses_numpy))
    return Conversion(tuple(done), tuple(functions))


def function_outcome(
    file: ProjectFile, summary: UnitSummary, plan: FunctionPlan, result: Rewritten, uses_numpy: bool
) -> FunctionOutcome:
    codes = tuple(sorted(result.codes.get(summary.name, ())))
    transform = "" if plan.refused else "jit" if "NJ501" in codes else "eager"
    if plan.refused:
        codes = (plan.refused_code,)
    return FunctionOutcome(
        str(file.path),
        result.lines.get(summary.name, 1),
        written_name(summary.name).replace(file.module, file.module.partition("@")[0], 1),
        "kept" if plan.refused else "proved",
        transform,
        codes,
        plan.refused,
        plan.returns,
        plan.results,
        plan.static_args if plan.jit else (),
        summary.kinds,
        uses_numpy,
        summary.params,
        plan.already,
    )


def by_place(diagnostic: Diagnostic) -> tuple[int, int, str]:
    return diagnostic.line, diagnostic.column, diagnostic.code
