"""The documentation as a site, in Chromium: what its search finds, on a phone, in the dark, without a network."""

import subprocess
import sys
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from browser import DESKTOP, PHONE, opened

from ringlet.advice.requirements import json_schema as requirements_schema
from ringlet.figures import BY_NAME
from ringlet.scenario import json_schema as scenario_schema
from ringlet.scenario.reference import keys_of
from ringlet.studies.study import json_schema as study_schema

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


def test_no_page_scrolls_sideways_on_a_phone(browser, pages):
    context = browser.new_context(viewport=PHONE)
    page = context.new_page()
    wide, asked = [], []
    page.on("request", lambda request: asked.append(request.url))
    for path in pages:
        page.goto(path.as_uri())
        width = page.evaluate("document.documentElement.scrollWidth")
        if width > PHONE["width"]:
            wide.append(f"{path.name}: {width} px")
    context.close()
    assert wide == []
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_both_schemes(browser, site, pages, scheme):
    context = browser.new_context(viewport=DESKTOP, color_scheme=scheme, reduced_motion="reduce")
    page = context.new_page()
    options = {"runOnly": {"type": "rule", "values": ["color-contrast"]}, "iframes": False}
    found = []
    for path in pages:
        page.goto(path.as_uri())
        violations = Axe().run(page, options=options).response["violations"]
        found += [f"{path.relative_to(site)}: {node['html']}" for each in violations for node in each["nodes"]]
    context.close()
    assert found == []
