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


def main() -> None:
    """Runs the cases and draws them."""
    content = tomllib.loads(EXAMPLE.read_text(encoding="utf-8"))
    errors = {key: value for key, value in content["errors"].items() if not key.endswith("_after")}
    runs = {name: rl.run({**content, "errors": {**errors, **keys}}) for name, keys in CASES.items()}
    with TemporaryDirectory() as folder:
        save(service_chart(runs), Path(folder), ("svg",))
        PICTURE.write_bytes((Path(folder) / "service.svg").read_bytes())
    for name, run in runs.items():
        found = run.document["errors"]
        service, last = found["service"], found["failures"][-1]
        later = [rate for i, rate in enumerate(service["throughput_MBps"]) if i * service["bin_ns"] > 600e3]
        lost = sum(failure["lost_sends"] + failure["lost_echoes"] for failure in found["failures"])
        print(name, lost, found["undelivered_packets"], last["back_ns"], round(sum(later) / len(later)), sep=" | ")


if __name__ == "__main__":
    main()
