"""The page: what it holds, and how it behaves in a real browser, also with hostile names, messages and sources."""

import hashlib
import shutil
from html.parser import HTMLParser

import pytest

from np2jax.migrate.commands.reports import html
from np2jax.migrate.commands.reports.document import of_verification
from np2jax.migrate.commands.reports.formats import targets
from np2jax.migrate.commands.reports.html import render
from np2jax.migrate.project.failure import Failure

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=document.title='owned'> {{ 7 * 7 }}"
NAME = "m.größe_שלום_数"
SOURCE = f'import numpy as np\n\n\ndef größe_שלום_数(x):\n    """{HOSTILE} \u202e"""\n    return np.sqrt(x)\n'
FINDING = {"line": 6, "column": 12, "end_line": 6, "end_column": 19, "code": "NJ101", "message": f"use jnp {HOSTILE}"}


def verdict(name, line, verdict="agrees", **more):
    return {
        "file": "m.py", "name": name, "line": line, "verdict": verdict, "reason": "", "recorded": 0, "generated": 7, "modes": ["jitted"],
        "call": "", "where": "", "original": "", "converted": "", "notes": [], "needs": "", **more,
    }  # fmt: skip


def made(functions, sources, outcomes=()):
    found = {
        "original": "a", "converted": HOSTILE, "functions": functions, "programs": [], "notes": [HOSTILE], "precision": "float64",
        "platforms": ["cpu"], "versions": {"jax": "1"}, "seconds": 1.0, "least": 0.0, "ok": False, "problems": [HOSTILE],
        "compared": {"functions": {"done": 1, "total": 1}, "lines": {"done": 1, "total": 2}, "branches": {"done": 0, "total": 0},
                     "converted": {"done": 1, "total": 1}, "unreached": {"m.py": [6]}, "share": 50.0},
    }  # fmt: skip
    digests = {"m": hashlib.sha256(sources["m.py"][0]).hexdigest()} if sources else {}
    return of_verification(found, outcomes, sources, digests)


def hostile():
    function = verdict(
        NAME,
        4,
        "differs",
        reason=HOSTILE,
        call=f"x={HOSTILE}",
        original="1.0",
        converted="2.0",
        where="result",
        test=f"def test():\n    {HOSTILE}\n",
    )
    outcome = {"name": NAME, "module": "m", "label": "proved", "reason": "", "findings": [FINDING]}
    sources = {"m.py": (SOURCE.encode(), SOURCE.replace("np.", "jnp.").encode())}
    return made([function, verdict("m.other", 40)], sources, [outcome])


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        assert not {"src", "href", "onerror"} & dict(attrs).keys()


def test_nothing_in_the_data_is_markup():
    page = render(hostile())
    parser = Tags()
    parser.feed(page)
    assert parser.tags.count("script") == 2
    assert "img" not in parser.tags
    assert "49" not in page.partition("<main>")[2].partition("</main>")[0]


def test_findings_of_another_text_are_left_out():
    outcome = {"name": "m.f", "module": "m", "label": "proved", "reason": "", "findings": [FINDING]}
    text = b"def f(x):\n    return x\n"
    known, changed = made([verdict("m.f", 1)], {"m.py": (text, text)}, [outcome]), hostile()
    assert known.functions[0]["findings"] == [FINDING]
    stale = of_verification(
        changed.data | {"functions": [verdict("m.f", 1)]}, [outcome], {"m.py": (b"#\n" + text, text)}, {"m": "0"}
    )
    assert (stale.functions[0]["label"], stale.functions[0]["findings"]) == ("proved", [])


def test_without_jinja_it_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(html, "find_spec", lambda name: None)
    with pytest.raises(Failure, match=r"^a report in HTML needs Jinja2: pip install 'np2jax\[report\]'$"):
        targets([tmp_path / "r.html"], None)
    assert targets([tmp_path / "r.json"], None)


@pytest.fixture
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("no chromium is installed")
    with playwright.sync_playwright() as started:
        running = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield running
        running.close()


def opened(browser, path, text, **options):
    """The page in the browser, the messages on its console, and the requests that it made."""
    path.write_text(text, encoding="utf-8")
    page, said, asked = browser.new_page(**options), [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    return page, said, asked


def test_a_hostile_report_in_a_browser(browser, tmp_path):
    page, said, asked = opened(browser, tmp_path / "r.html", render(hostile()), color_scheme="dark")
    assert page.title().startswith("np2jax: Failed.")
    for key in ("j", "Enter"):
        page.keyboard.press(key)
    page.wait_for_selector(".code")
    assert [cell.inner_text() for cell in page.query_selector_all(".code .removed, .code .added, .code .finding")] == [
        "    return np.sqrt(x)",
        "    return jnp.sqrt(x)",
        f"NJ101 {FINDING['message']}",
    ]
    assert f"x={HOSTILE}" in page.inner_text(".detail dl")
    assert page.inner_text(".detail pre") == f"def test():\n    {HOSTILE}"
    assert "\\u202e" in page.inner_text(".code")
    assert page.query_selector(".code .unreached").inner_text() == "    return np.sqrt(x)"
    assert page.title().startswith("np2jax: Failed.")
    assert page.query_selector_all("img") == []
    assert (said, len(asked)) == ([], 1)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(22, 24, 29)"


def test_search_and_filters(browser, tmp_path):
    page, said, _ = opened(browser, tmp_path / "r.html", render(hostile()))
    page.keyboard.press("/")
    page.keyboard.type("GRÖSSE שלום")
    assert page.inner_text("#shown") == "0 of 2 functions"  # ß is not ss, as in the name
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type("GRÖ שלום")
    assert page.inner_text("#shown") == "1 of 2 functions"
    page.keyboard.press("Escape")
    page.uncheck("input[value=differs]")
    assert [row.get_attribute("id") for row in page.query_selector_all("#functions tbody tr:not([hidden])")] == ["m.other"]
    assert said == []


@pytest.mark.slow
def test_two_thousand_functions(browser, tmp_path):
    body = "".join(f"    v{n} = np.sin(x * {n}.25) + np.cumsum(x)[{n}] * {n * 7919 % 1013}\n" for n in range(15))
    text = "import numpy as np\n" + "".join(f"\n\ndef f{n}(x):\n    x{n} = {n}\n{body}    return v14\n" for n in range(2000))
    functions = [verdict(f"m.f{n}", 4 + n * 20, "differs" if n % 9 == 0 else "agrees", reason="x" * 60) for n in range(2000)]
    page = render(made(functions, {"m.py": (text.encode(), text.replace("np.", "jnp.").encode())}))
    assert len(page.encode()) < 5_000_000
    shown, said, _ = opened(browser, tmp_path / "r.html", page)
    took = []
    for _ in range(3):  # what the machine is busy with otherwise only adds to it
        shown.reload()
        took.append(shown.evaluate("performance.timing.loadEventEnd - performance.timing.navigationStart"))
    assert min(took) < 2000
    shown.click("text=m.f1999")
    shown.wait_for_selector(".code")
    assert "x1999 = 1999" in shown.inner_text(".code")
    assert said == []
