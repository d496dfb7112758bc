"""Random `while` loops that count: up or down, by several steps, with other counters, nested, read after the loop."""

import numpy as np

READS = ("x[{v} % n]", "x[min(max({v}, 0), n - 1)]", "{v}", "0.5 * {v} * x[0]", "np.sum(x[:3])")


def program(seed):
    rng = np.random.default_rng(seed)
    lines, returned = loop(rng, 0, ["t"])
    text = "\n".join(f"    {line}" for line in ["n = len(x)", "t = 0.0", "y = np.zeros(n)", *lines])
    return f"import numpy as np\n\n\ndef f(x: np.ndarray, size: int, hop: int):\n{text}\n    return y, np.array([{', '.join(returned)}])\n"


def loop(rng, depth, names):
    """The lines of a loop, and the variables that may be read after it."""

    def one(options):
        return str(rng.choice(list(options)))

    def term(of):
        return one(READS).format(v=one(of))

    up = rng.random() < 0.6
    step = one(("1", "1", "2", "3", "hop"))
    v, w = f"i{depth}", f"k{depth}"
    start, end = one(("0", "1", "-1", "size - 1")), one(("n", "n - size", "n - 1", "size + 2"))
    start, end = (start, end) if up else (end, start)
    test = f"{v} {one(('<', '<=') if up else ('>', '>='))} {end}"
    if rng.random() < 0.3:
        test = f"{end} {one(('>', '>=') if up else ('<', '<='))} {v}"
    elif rng.random() < 0.3:
        test = f"{v} + size {'<=' if up else '>='} {end} + size"
    other = rng.random() < 0.6
    number = one(("0", "0", "2", "size"))
    if other:
        first = one((f"{v}, {w} = {start}, {number}", f"{v} = {start}\n{w} = {number}", f"{v} = {w} = {start}")).split("\n")
    else:
        first = [f"{v} = {start}"]
    counters = [v, w] if other else [v]
    body = [f"t = 0.5 * t + {term(counters)}", f"y[{v} % n] += {term(counters)}"]
    if rng.random() < 0.3:
        body.append(f"y[{v} % n] = np.max(x[abs({v}) % n :]) if {v} > 2 else t")
    if rng.random() < 0.15:
        body.append(f"if {term(counters)} > 2.5:\n    break")
    if depth < 1 and rng.random() < 0.4:
        body.append("\n".join(loop(rng, depth + 1, names)[0]))
    moved = f"{v} {'+' if up else '-'}= {step}" if rng.random() < 0.7 else f"{v} = {v} {'+' if up else '-'} {step}"
    for line in (moved, *([f"{w} {one('+-')}= {one(('1', '1', '2', 'hop'))}"] if other else [])):
        body.insert(int(rng.integers(0, len(body) + 1)) if rng.random() < 0.3 else len(body), line)
    if rng.random() < 0.1:
        body.insert(0, f"if t > 5.0:\n    t = 0.0\n    {moved}\n    continue")
    after = [name for name in counters if rng.random() < 0.3]
    lines = [*first, f"while {test}:", *(f"    {part}" for line in body for part in line.split("\n"))]
    if depth:
        lines += [f"t += {name}" for name in after]
    return lines, [*names, *after]
