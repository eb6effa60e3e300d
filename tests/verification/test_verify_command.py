"""`ringlet verify`: a report that is handed in, and computed again."""

import hashlib
import json
import re
import tomllib

import jsonschema
import pytest

from ringlet.cli import main
from ringlet.report.verification import html_report, pdf_report
from ringlet.verification.check import document_text
from ringlet.verification.schema import json_schema

SET = """
messages_file = "set.csv"
[network]
nodes = 4
[flow_control]
protocol = "token-ring"
"""

SET_CSV = """name,source,destination,size,period_us,deadline_us
fast,0,2,64,5,3
bulk,1,3,1 KiB,20,
"""

QUICK = ("--protocol", "token-ring", "--trials", "3", "--tolerance", "0.5", "--workers", "1")

HOSTILE = "</script><script>window.ran = 1</script>"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("verify")
    (folder / "set.toml").write_text(SET, encoding="utf-8")
    (folder / "set.csv").write_text(SET_CSV, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def report(folder):
    """The report of a set whose deadlines are all guaranteed."""
    out = folder / "out"
    assert main(["verify", str(folder / "set.toml"), *QUICK, "--out", str(out)]) == 0
    return out / "verification.json"


def verify(folder, *words):
    return main(["verify", *map(str, words), *QUICK, "--out", str(folder / "again")])


def test_the_report_has_the_digest_of_each_input_and_the_command(folder, report):
    document = json.loads(report.read_text(encoding="utf-8"))
    jsonschema.validate(document, json_schema())
    digests = {one["name"]: one["sha256"] for one in document["inputs"]}
    assert digests == {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in ("set.toml", "set.csv")
    }
    words = "--protocol token-ring --failures --trials 3 --tolerance 0.5"
    assert document["command"] == f"ringlet verify set.toml {words}"
    assert str(folder) not in report.read_text(encoding="utf-8")


def test_a_set_of_flows_alone_has_a_report(tmp_path):
    flows = SET_CSV.replace("fast,0,2,64,5,3", "fast,0,2; 3,64,5,3").replace("deadline_us", "deadline_us,multicast")
    flows = flows.replace(",5,3\n", ",5,3,true\n").replace("20,\n", "20,,false\n")
    (tmp_path / "flows.csv").write_text(flows, encoding="utf-8")
    content = SET.replace("messages_file", "flows_file").replace("set.csv", "flows.csv")
    (tmp_path / "flows.toml").write_text(content.replace("nodes = 4", "nodes = 4\nechoes = false"), encoding="utf-8")
    assert main(["verify", str(tmp_path / "flows.toml"), *QUICK, "--out", str(tmp_path / "out")]) == 0
    page = (tmp_path / "out" / "verification.html").read_text(encoding="utf-8")
    assert "fast to 2" in page
    assert "fast to 3" in page


def test_a_second_run_takes_all_from_the_store_and_writes_the_same_bytes(folder, report):
    before = {path.name: path.read_bytes() for path in report.parent.iterdir() if path.suffix != ".sqlite"}
    assert main(["verify", str(folder / "set.toml"), *QUICK, "--out", str(report.parent)]) == 0
    after = {path.name: path.read_bytes() for path in report.parent.iterdir() if path.suffix != ".sqlite"}
    assert after == before


def test_a_folder_of_another_name_gives_the_same_report(folder, report, tmp_path):
    for name in ("set.toml", "set.csv"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    words = [str(tmp_path / "set.toml"), *QUICK, "--out", str(tmp_path / "elsewhere")]
    assert main(["verify", *words]) == 0
    for name in ("verification.json", "verification.html"):
        assert (tmp_path / "elsewhere" / name).read_bytes() == report.with_name(name).read_bytes()


def test_the_page_shows_verdict_digests_lemmas_and_a_chart_of_each_protocol(report):
    page = report.with_suffix(".html").read_text(encoding="utf-8")
    document = json.loads(report.read_text(encoding="utf-8"))
    assert hashlib.sha256(report.read_bytes()).hexdigest() in page
    for one in document["inputs"]:
        assert one["sha256"] in page
    for words in (*document["assumptions"], *document["lemmas"]["token-ring"]):
        assert words.replace("'", "&#39;") in page
    chart = page[page.index('<figure id="chart-token-ring-0">') : page.index("</figure>")]
    assert re.findall(r'text-anchor="end"[^>]*>(\w+)<', chart) == ["bulk", "fast"]
    assert "http:" not in re.sub(r"http://www.w3.org/\S+|<!--.*?-->|<script>.*?</script>", "", page, flags=re.DOTALL)


def test_the_pdf_has_the_same_tables(report):
    pytest.importorskip("reportlab", reason="the PDF is not written without reportlab")
    pages = report.with_suffix(".pdf").read_bytes()
    assert pages.startswith(b"%PDF-")
    assert b"CreationDate (D:20000101" in pages
    text = b" ".join(re.findall(rb"\((.*?)\) Tj", pages)).decode("latin-1")
    for words in ("Verification of set.toml", "verified: all 2 deadlines guaranteed under token-ring", "fast", "bulk"):
        assert words in text
    assert hashlib.sha256(report.read_bytes()).hexdigest() in text


@pytest.mark.parametrize("count", [35, 36, 45])
def test_a_chart_of_many_messages_begins_on_the_page_of_its_heading(report, count):
    pytest.importorskip("reportlab", reason="the PDF is not written without reportlab")
    document = json.loads(report.read_text(encoding="utf-8"))
    case = document["cases"][0]
    case["messages"] = [{**case["messages"][0], "name": f"message {number}"} for number in range(count)]
    case["messages"][0] |= {"bound_us": None, "why_no_bound": 40 * "a packet may be preempted "}
    pages = pdf_report(document, document_text(document)).split(b"endstream")
    (headed,) = (page for page in pages if b"a packet may be preempted" in page)
    assert headed.count(b"(message ") > 15


def test_a_page_on_which_a_table_goes_on_says_which_protocol_it_is_of(report):
    pytest.importorskip("reportlab", reason="the PDF is not written without reportlab")
    document = json.loads(report.read_text(encoding="utf-8"))
    case = document["cases"][0]
    case["messages"] = [{**case["messages"][0], "name": f"message {number}"} for number in range(80)]
    pages = pdf_report(document, document_text(document)).split(b"endstream")
    shown = [page for page in pages if b"(message " in page]
    assert len(shown) > 2
    for page in shown:
        assert b"Verification of set.toml, token-ring, page " in page
    first, last = pages[0], next(page for page in pages if b"What is assumed" in page)
    assert b"Verification of set.toml, page 1" in first
    assert b"Verification of set.toml, page " in last


def test_a_report_says_which_messages_have_no_bound_and_puts_them_first(report):
    document = json.loads(report.read_text(encoding="utf-8"))
    case = document["cases"][0]
    page = html_report(document, document_text(document))
    assert "as shares of their deadlines, closest first; a bold name" in page
    assert ">bound</text>" in page
    case["messages"][1] |= {"bound_us": None, "guaranteed": False, "why_no_bound": "it waits"}
    page = html_report(document, document_text(document))
    assert f" No bound of {case['messages'][1]['name']}: it waits." in page
    assert "those without a bound first, then the closest; a bold name" in page
    for one in case["messages"]:
        one |= {"bound_us": None, "guaranteed": False, "why_no_bound": "it waits"}
    document["lemmas"]["token-ring"] = []
    page = html_report(document, document_text(document))
    assert " No bound: it waits." in page
    assert "<td>no message has a bound</td>" in page
    assert ">bound</text>" not in page


def test_the_table_of_cases_has_a_column_of_refusals_only_where_there_is_one(report):
    document = json.loads(report.read_text(encoding="utf-8"))
    refused = '<th scope="col">refused</th>'
    assert refused not in html_report(document, document_text(document))
    document["cases"][-1]["refused"] = "it has no way"
    page = html_report(document, document_text(document))
    assert refused in page
    assert "<td>it has no way</td>" in page


def test_names_that_break_pages_stand_in_them_as_they_are(report):
    document = json.loads(report.read_text(encoding="utf-8").replace('"fast"', json.dumps(HOSTILE)))
    page = html_report(document, document_text(document))
    assert "&lt;/script&gt;&lt;script&gt;" in page
    assert HOSTILE not in page
    pytest.importorskip("reportlab", reason="the PDF is not written without reportlab")
    for name in (HOSTILE, "<b>bold", "Überwachung", "信号", "a\x01b", " "):
        other = json.loads(report.read_text(encoding="utf-8").replace('"fast"', json.dumps(name)))
        once, twice = (pdf_report(other, document_text(other)) for _ in range(2))
        assert once == twice


def test_a_report_is_computed_again(folder, report, capsys):
    assert main(["verify", "--check", str(report), "--workers", "1"]) == 0
    told = capsys.readouterr().out
    assert told.startswith(f"{report}: every line is the same, computed again; so are verification.html and ")
    assert "the inputs were not given, and their SHA-256 not compared" in told
    assert main(["verify", str(folder / "set.toml"), "--check", str(report), "--workers", "1"]) == 0
    assert "inputs are the same" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (r'"bound_us": [\d.]+', '"bound_us": 0.1'),
        (r'"period": "5 us"', '"period": "6 us"'),
        (r'"holds": true', '"holds": false'),
        (r'"verified: all', '"verified: nearly all'),
    ],
)
def test_a_report_that_was_changed_fails_and_the_line_is_named(report, tmp_path, capsys, theirs, ours):
    text, count = re.subn(theirs, ours, report.read_text(encoding="utf-8"), count=1)
    assert count == 1
    changed = tmp_path / "changed.json"
    changed.write_text(text, encoding="utf-8")
    pairs = zip(text.split("\n"), report.read_text(encoding="utf-8").split("\n"), strict=True)
    line = next(number for number, (one, other) in enumerate(pairs, 1) if one != other)
    assert main(["verify", "--check", str(changed), "--workers", "1"]) == 1
    told = capsys.readouterr().err
    if "period" in ours:
        # The digest of the scenario stands before it, and is computed from what it says.
        line = next(n for n, one in enumerate(text.split("\n"), 1) if one.startswith(' "scenario_sha256"'))
    assert told.startswith(f"ringlet: {changed}, line {line}: ")
    assert "differs; computed again: " in told


def test_changed_inputs_and_pages_are_named(folder, report, tmp_path, capsys):
    for name in ("set.toml", "set.csv"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    (tmp_path / "set.csv").write_text(SET_CSV + "\n", encoding="utf-8")
    assert main(["verify", str(tmp_path / "set.toml"), "--check", str(report), "--workers", "1"]) == 1
    assert '"sha256": "' in capsys.readouterr().err
    copy = tmp_path / "verification.json"
    copy.write_bytes(report.read_bytes())
    page = report.with_suffix(".html").read_text(encoding="utf-8").replace("guaranteed under", "promised under")
    copy.with_suffix(".html").write_text(page, encoding="utf-8")
    assert main(["verify", "--check", str(copy), "--workers", "1"]) == 1
    assert re.search(r"verification.html, line \d+: differs from the page that", capsys.readouterr().err)


def test_a_set_as_csv_takes_its_network_from_a_scenario(folder, report, capsys):
    network = folder / "network.toml"
    network.write_text(SET.replace('messages_file = "set.csv"', ""), encoding="utf-8")
    assert verify(folder, folder / "set.csv", "--network", network, "--no-failures", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in document["inputs"]] == ["set.csv", "network.toml"]
    assert document["command"].startswith("ringlet verify set.csv --network network.toml --protocol token-ring")
    of_toml = json.loads(report.read_text(encoding="utf-8"))["cases"][0]
    assert document["cases"][0] == of_toml


def test_the_exit_code_is_3_where_a_deadline_is_not_guaranteed(folder, capsys):
    tight = ("--set", "flow_control.protocol=dfc")
    assert main(["verify", str(folder / "set.toml"), *tight, *QUICK[2:], "--protocol", "dfc", "--no-failures",
                 "--set", "message_priorities=rate-monotonic", "--out", str(folder / "dfc")]) == 3  # fmt: skip
    told = capsys.readouterr().out
    assert "verified: 0 of 2 deadlines guaranteed under dfc; not that of fast, bulk" in told
    assert "helps: stop_thru = false: all 2 deadlines guaranteed" in told
    assert verify(folder, folder / "set.toml", "--survives") == 3
    assert tomllib.loads((folder / "set.toml").read_text(encoding="utf-8"))["flow_control"]["protocol"] == "token-ring"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "SET: missing"),
        (("set.csv",), "set.csv: needs --network"),
        (("set.toml", "--network", "set.toml"), "--network: "),
        (("set.toml", "--trials", "0"), "--trials: 0 is not allowed"),
        (("set.toml", "--tolerance", "1"), "--tolerance: 1.0 is not allowed"),
        (("set.toml", "--protocol", "fair"), "--protocol: 'fair' is not allowed"),
        (("set.toml", "--set", "messages_file=nowhere.csv"), "nowhere.csv"),
        (("--check", "nowhere.json"), "nowhere.json: cannot be read"),
        (("--check", "set.toml"), "set.toml, line 2: no JSON"),
        (("--check", "other.json"), "other.json: <another document> is not allowed"),
        (("--check", "future.json"), "future.json: schema: 99 is not allowed"),
        (("--check", "broken.json"), "broken.json: "),
    ],
)
def test_bad_input_is_refused_in_one_line(folder, report, monkeypatch, capsys, words, said):
    monkeypatch.chdir(folder)
    (folder / "other.json").write_text('{"schema": 1}', encoding="utf-8")
    document = json.loads(report.read_text(encoding="utf-8"))
    (folder / "future.json").write_text(json.dumps({**document, "schema": 99}), encoding="utf-8")
    (folder / "broken.json").write_text(json.dumps({**document, "trials": "many"}), encoding="utf-8")
    assert main(["verify", *words]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1
