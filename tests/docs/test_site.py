"""The documentation as a site, in Chromium: what its search finds, on a phone, in the dark, without a network."""

import subprocess
import sys
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from browser import DESKTOP, LOCAL, PHONE, opened
from ringlet.advice.requirements import json_schema as requirements_schema
from ringlet.figures import BY_NAME
from ringlet.scenario import json_schema as scenario_schema
from ringlet.sections.schema_in_words import keys_of
from ringlet.studies.study import study_schema

ROOT = Path(__file__).parents[2]
# One worker builds the site for all of these tests.
pytestmark = pytest.mark.xdist_group("site")


@pytest.fixture(scope="module")
def site(browser, tmp_path_factory):
    """The folder of the site. The notebook is not run: `make docs` does that."""
    pytest.importorskip("sphinx", reason="the site is not tested without Sphinx (pip install '.[docs]')")
    folder = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "sphinx", "-W", "-q", "-E", "-b", "html", "-D", "nb_execution_mode=off"]
    done = subprocess.run([*build, "docs", str(folder)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site):
    # The player and the playground have tests of their own.
    found = {path for path in site.rglob("*.html") if path.name not in ("four-nodes.html", "playground.html")}
    assert len(found) > 50
    return sorted(found)


@pytest.fixture(scope="module")
def find(browser, site):
    """Asks the site's own search; returns name and address of what comes first."""
    with opened(browser, site / "search.html") as page:
        page.wait_for_function("Search.hasIndex()")

        def find(query):
            # As the page does whose address has the query; what comes first is last in the list.
            ask = "(query) => (history.replaceState(null, '', `?q=${encodeURIComponent(query)}`), "
            results = page.evaluate(f"{ask}Search._performSearch(...Search._parseQuery(query)))", query)
            document, name, anchor, *_ = results[-1]
            return name, document, anchor.removeprefix("#")

        yield find


@pytest.mark.parametrize(
    ("schema", "kind", "document"),
    [
        (scenario_schema, "scenario-key", "reference/scenario"),
        (study_schema, "study-key", "reference/study"),
        (requirements_schema, "requirements-key", "reference/requirements"),
    ],
)
def test_the_entry_of_a_key_comes_first(find, site, schema, kind, document):
    text = (site / f"{document}.html").read_text(encoding="utf-8")
    # Sections are headings; tables of a scenario that requirements have, too, are on the page of scenarios.
    paths = [path for path in dict.fromkeys(key.path for key in keys_of(schema())) if f'id="{kind}-{path}"' in text]
    assert len(paths) > 12
    for path in paths:
        name, found_in, _ = find(path)
        assert name == path
        # A key at the top of a file may be called as one of another file.
        assert found_in == document or "." not in path, path


@pytest.mark.parametrize("query", ["go bit", "bypass FIFO", "B-Link"])
def test_the_entry_of_a_term_comes_first(find, query):
    name, document, _ = find(query)
    assert (name, document) == (query, "reference/glossary")


@pytest.mark.parametrize("query", ["load", "traffic.load", "hop_delay", "period", "transit_queue"])
def test_the_last_part_of_a_key_is_enough(find, query):
    name, document, _ = find(query)
    assert (name.rpartition(".")[2], document) == (query.rpartition(".")[2], "reference/scenario")


def test_the_entry_of_a_figure_comes_first(find, site):
    text = (site / "reference/what-a-run-tells.html").read_text(encoding="utf-8")
    for figure in BY_NAME:
        name, document, anchor = find(figure)
        assert name == figure
        assert document.startswith("reference/")
        assert document != "reference/what-a-run-tells" or f'id="{anchor}"' in text


# Marks one of all elements with the same colours, font and backgrounds, unless `seen` has one: axe compares the pixels
# around each element, which takes a minute for the thousands of cells of a large table, and they are all alike.
MARK_NEW = """(seen) => {
  const known = new Set(seen), found = [];
  const behind = new Map();
  const backdrop = (element) => {
    if (!element) return "";
    if (!behind.has(element)) {
      const style = getComputedStyle(element);
      const own = [style.backgroundColor, style.backgroundImage, style.opacity].join(" ");
      const place = style.position === "static" || style.position === "relative" ? "" : element.className;
      const nothing = own === "rgba(0, 0, 0, 0) none 1" && !place;
      const outer = backdrop(element.parentElement);
      behind.set(element, nothing ? outer : `${outer}; ${own} ${place}`);
    }
    return behind.get(element);
  };
  for (const element of document.body.querySelectorAll("*")) {
    const holds = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    if (!(holds || element.matches("input, textarea, select")) || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const looks = [style.color, style.fontSize, style.fontWeight, style.textShadow, backdrop(element)].join(", ");
    if (known.has(looks)) continue;
    known.add(looks);
    found.push(looks);
    element.dataset.looks = "new";
  }
  return found;
}"""


def unreadable(page, seen: set[str]) -> list[str]:
    """Texts of a page with too little contrast, of those that look like none that was seen."""
    new = page.evaluate(MARK_NEW, list(seen))
    if not new:
        return []
    seen.update(new)
    options = {
        "runOnly": {"type": "rule", "values": ["color-contrast"]},
        "resultTypes": ["violations"],
        "iframes": False,
    }
    violations = Axe().run(page, context="[data-looks]", options=options).response["violations"]
    page.evaluate("for (const each of document.querySelectorAll('[data-looks]')) delete each.dataset.looks")
    return [node["html"] for each in violations for node in each["nodes"]]


@pytest.fixture(scope="module")
def visit(browser, pages):
    """What was seen of each page, loaded once: those too wide for a phone, what was asked for, unreadable texts."""
    context = browser.new_context(viewport=PHONE, reduced_motion="reduce")
    page = context.new_page()
    wide, asked = [], []
    schemes = {"light": ([], set()), "dark": ([], set())}
    page.on("request", lambda request: asked.append(request.url))
    for path in pages:
        page.set_viewport_size(PHONE)
        page.goto(path.as_uri())
        width = page.evaluate("document.documentElement.scrollWidth")
        if width > PHONE["width"]:
            wide.append(f"{path.name}: {width} px")
        page.set_viewport_size(DESKTOP)
        for scheme, (found, seen) in schemes.items():
            page.emulate_media(color_scheme=scheme)
            found += [f"{path.name}: {html}" for html in unreadable(page, seen)]
    context.close()
    return {"wide": wide, "asked": asked} | {scheme: found for scheme, (found, _) in schemes.items()}


def test_no_page_scrolls_sideways_on_a_phone(visit):
    assert visit["wide"] == []


def test_what_is_printed_is_whole(browser, site):
    with opened(browser, site / "how-to/figures.html") as page:
        page.set_viewport_size({"width": 700, "height": 1000})
        page.emulate_media(media="print")
        wide = "blocks => blocks.filter(block => block.scrollWidth > block.clientWidth).map(block => block.innerText)"
        assert page.eval_on_selector_all("div.highlight pre", wide) == []
        assert not page.locator(".skip-to-content").is_visible()
    # A table that is longer than a page begins where it stands, and not on a page of its own.
    with opened(browser, site / "reference/what-a-run-tells.html") as page:
        page.emulate_media(media="print")
        inside = "tables => [...new Set(tables.map(table => getComputedStyle(table).breakInside))]"
        assert page.eval_on_selector_all("table", inside) == ["auto"]
        assert page.eval_on_selector_all("tr", inside) == ["avoid"]


@pytest.mark.parametrize("wide", ["table-wrapper", "math", "cell_output"])
def test_what_scrolls_sideways_takes_the_focus(browser, tmp_path, wide):
    script = (ROOT / "docs/_static/accessible.js").as_uri()
    file = tmp_path / "wide.html"
    file.write_text(f'<script src="{script}"></script><div class="{wide}">wide</div>', encoding="utf-8")
    with opened(browser, file) as page:
        assert page.locator(f".{wide}").get_attribute("tabindex") == "0"


def test_no_page_asks_a_network(visit):
    assert [url for url in visit["asked"] if not url.startswith(LOCAL)] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_both_schemes(visit, scheme):
    assert visit[scheme] == []


MANY = """<!doctype html><title>Many</title><style>
  body {{ background: #fff; color: #222; }} td.odd {{ color: {light}; }}
  @media (prefers-color-scheme: dark) {{ body {{ background: #111; color: #ddd; }} td.odd {{ color: {dark}; }} }}
</style><main><table>{rows}<tr><td class="odd">odd</td></tr></table></main>"""


@pytest.mark.parametrize(("light", "dark", "found_in"), [("#ccc", "#ddd", "light"), ("#222", "#333", "dark")])
def test_one_text_among_many_that_cannot_be_read_is_found(browser, tmp_path, light, dark, found_in):
    file = tmp_path / "many.html"
    file.write_text(MANY.format(light=light, dark=dark, rows="<tr><td>even</td></tr>" * 500), encoding="utf-8")
    with opened(browser, file) as page:
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            seen = set()
            assert [">odd<" in html for html in unreadable(page, seen)] == ([True] if scheme == found_in else [])
            assert len(seen) <= 2
            assert unreadable(page, seen) == []
