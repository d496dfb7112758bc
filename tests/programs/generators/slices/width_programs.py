"""Random programs whose loops use slices with the width of a parameter, in common notations: source text by a seed."""

import numpy as np

REDUCED = (
    "np.mean({p})",
    "np.sum({p})",
    "np.max({p})",
    "np.min({p})",
    "np.std({p})",
    "np.prod({p})",
    "np.argmax({p})",
    "np.dot({p}, {p})",
    "{p}.sum()",
    "{p}.max()",
    "{p}.mean()",
    "np.sum({p} ** 2)",
    "np.sum(np.abs({p} - {p}.mean()))",
    "np.any({p} > 1)",
    "np.linalg.norm({p})",
    "np.sum({p} * y[{b}])",
    "np.mean({p}) + x[{i}]",
    "np.argmin({p})",
)
REDUCED_TO_FLOATS = tuple(term for term in REDUCED if "arg" not in term and "any" not in term)
# iterations, number of results, bounds of the slice, index of the result
WINDOWS = (
    ("range(n - w + 1)", "n - w + 1", "i : i + w", "i"),
    ("range(w, n)", "n", "i - w : i", "i"),
    ("range(w - 1, n)", "n", "i - w + 1 : i + 1", "i"),
    ("range(n - w)", "n - w", "i + 1 : i + w + 1", "i"),
    ("range(w, n - w)", "n", "i - w : i + w + 1", "i"),
    ("range(n - w, -1, -1)", "n", "i : i + w", "i"),
    ("range(0, n - w + 1)", "n", "i:(i + w)", "i + w - 1"),
)
CLIPPED = (
    ("range(n)", "n", "max(0, i - w) : i + 1", "i"),
    ("range(n)", "n", "max(0, i - w) : min(n, i + w + 1)", "i"),
    ("range(n)", "n", "max(i - w, 0) : min(i + w, n)", "i"),
    ("range(n)", "n", "i : i + w", "i"),
    ("range(n)", "n", ": i + w", "i"),
    ("range(n)", "n", "i - w : i", "i"),
    ("range(n // w)", "n // w", "i * w : (i + 1) * w", "i"),
    ("range((n - w) // 2 + 1)", "(n - w) // 2 + 1", "2 * i : 2 * i + w", "i"),
    ("range(n)", "n", "i + 1 :", "i"),
    ("range(n)", "n", ": n - i", "i"),
)
SIZES = ("len(x)", "x.shape[0]", "x.size")


def program(seed):
    """The text of a program: `f(x, y, w)`."""
    rng = np.random.default_rng(seed)

    def one_of(choices):
        return choices[rng.integers(len(choices))]

    iterations, count, part, place = one_of(WINDOWS) if rng.random() < 0.6 else one_of(CLIPPED)
    form = one_of(("store", "store", "comprehension", "list", "total", "best"))
    term = one_of(REDUCED if form in ("store", "total") else REDUCED_TO_FLOATS)
    noted = one_of(("x", "x", "x: np.ndarray"))
    lines = [f"n = {one_of(SIZES)}"]
    lower, _colon, upper = (bound.strip() for bound in part.partition(":"))
    setting: list[str] = []
    if lower and upper and rng.random() < 0.4 and form != "comprehension":
        setting = [f"lo = {lower}", f"hi = {upper}"] if rng.random() < 0.5 else [f"lo, hi = {lower}, {upper}"]
        part = "lo:hi"
    held = rng.random() < 0.3 and form != "comprehension" and "{b}" not in term
    if held:
        setting.append(f"part = x[{part}]")
    value = term.format(p="part" if held else f"x[{part}]", b=part, i=place)
    if rng.random() < 0.2:
        value = f"({value}) * 0.5 - y[0]"
    inner = [f"    {line}" for line in setting]
    if form == "store":
        maker = one_of((f"np.zeros({count})", f"np.empty({count})", f"np.full({count}, np.nan)", f"np.ones({count})"))
        if count != "n" and rng.random() < 0.5:
            maker = "np.zeros(n)"
        maker = maker.replace("np.empty(n)", "np.zeros(n)")
        lines += [f"out = {maker}", f"for i in {iterations}:", *inner, f"    out[i] = {value}", "return out"]
    elif form == "comprehension":
        lines.append(f"return np.array([{value} for i in {iterations}])")
    elif form == "list":
        lines += ["out = []", f"for i in {iterations}:", *inner, f"    out.append({value})", "return np.array(out)"]
    elif form == "total":
        lines += ["total = 0.0", f"for i in {iterations}:", *inner, f"    total += {value}", "return total"]
    else:
        lines += ["best = -1.0", f"for i in {iterations}:", *inner, f"    v = {value}"]
        lines += ["    if v > best:", "        best = v", "return best"]
    body = "".join(f"    {line}\n" for line in lines)
    return f"import numpy as np\n\n\ndef f({noted}, y, w):\n{body}"


def calls(seed, text):
    """Arguments for a program: arrays with unusual values, too, and widths of all kinds."""
    rng = np.random.default_rng(seed)
    made = []
    for n, w in ((7, 3), (5, 1), (6, 2), (4, 4), (3, 5), (4, 0), (1, 1), (12, 9)):
        x = rng.normal(size=n)
        if n and rng.random() < 0.3:
            x[rng.integers(n)] = rng.choice([np.nan, np.inf, -np.inf])
        if (
            rng.random() < 0.2 and "for i in range" in text and "out[i]" in text
        ):  # otherwise, the dtype of the result may be int or float
            x = rng.integers(-4, 5, size=n)
        made.append((x, rng.normal(size=max(n, 1)), w))
    return made
