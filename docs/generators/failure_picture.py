"""Makes the picture of the page on failures: throughput over time with and without what a dual ring can do."""

import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

import ringlet as rl
from ringlet.plots import service_chart
from ringlet.plots.save import save

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "dual-ring-failure.toml"
PICTURE = ROOT / "docs" / "images" / "dual-ring-failure.svg"

ONE_DIRECTION = [{"source": "3.1", "fails_at": "400 us"}]
CASES = {
    "neither": {},
    "wrapping": {"wraps_after": "20 us"},
    "wrapping, then steering": {"wraps_after": "20 us", "steers_after": "100 us"},
    "one direction only, steering": {"links": ONE_DIRECTION, "steers_after": "100 us"},
}


def runs() -> dict[str, rl.Result]:
    """Returns the run of each case."""
    content = tomllib.loads(EXAMPLE.read_text(encoding="utf-8"))
    errors = {key: value for key, value in content["errors"].items() if not key.endswith("_after")}
    return {name: rl.run({**content, "errors": {**errors, **keys}}) for name, keys in CASES.items()}


def row(run: rl.Result) -> tuple[int, int, str, int]:
    """Returns what the page's table says of a run: packets and echoes lost on links, packets lost for good, the time
    until throughput is back, and MB/s behind 600 us."""
    found = run.document["errors"]
    service, last = found["service"], found["failures"][-1]
    later = [rate for i, rate in enumerate(service["throughput_MBps"]) if i * service["bin_ns"] > 600e3]
    lost = sum(failure["lost_sends"] + failure["lost_echoes"] for failure in found["failures"])
    back = "never" if last["back_ns"] is None else f"{last['back_ns'] / 1e3:.0f} us"
    return lost, found["undelivered_packets"], back, round(sum(later) / len(later))


def main() -> None:
    """Runs the cases and draws them."""
    found = runs()
    with TemporaryDirectory() as folder:
        save(service_chart(found), Path(folder), ("svg",))
        PICTURE.write_bytes((Path(folder) / "service.svg").read_bytes())
    for name, run in found.items():
        print(name, *row(run), sep=" | ")


if __name__ == "__main__":
    main()
