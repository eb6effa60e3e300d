"""Commands that decide something over many runs, on drawn input: `advise`, `schedulability`, `verify`, `sweep`.

What they write is read again: tables are whole, pages and pictures are there.
"""

import json
from pathlib import Path
from random import Random
from typing import Any

from campaign.case import Case, Kind
from campaign.cli import command
from campaign.observe import require

PROTOCOLS = (
    *("none", "sci", "grouped", "ppq", "train", "dfc"),
    *("metaring", "token-ring", "timed-token", "slotted-ring", "rpr"),
)

VERDICT = 3
"""Exit code of a command that says no."""

FAILS = ("stalled at cycle", "stalled since cycle", "GiB")


def requirements(seed: int) -> Case:
    """Makes requirements of a few senders and receivers, some of which no network can meet."""
    rng = Random(f"requirements {seed}")
    needs: dict[str, Any] = {
        "senders": rng.choice([1, 2, 3, 4, 8]),
        "receivers": rng.choice([1, 1, 2, 4]),
        "rate": f"{rng.choice([0, 1, 20, 60, 400])} MB/s",
        "duration": f"{rng.choice([5, 20])} us",
        "at_least": 2,
        "at_most": 2,
    }
    drawn = {
        "loss": rng.choice([0, 0.01, 1]),
        "latency": f"{rng.choice([0.01, 1, 50])} us",
        "latency_figure": rng.choice(["mean", "p99"]),
        "growth": rng.choice([1, 2]),
        "stages": [1, 2],
        "failure_loss": rng.choice([0, 0.1]),
        "event_building": {"fragment": rng.choice(["64 B", "1 KiB"])},
        "message": {"size": "64 byte", "period": "20 us"},
        "protocols": rng.sample(PROTOCOLS, 2),
        "bit_error_rate": rng.choice([0, 1e-9]),
        "prices": {"port": rng.choice([0, 1, 900]), "switch": 5, "unit": "EUR"},
        "link_rate": f"{rng.choice([100, 1000])} MB/s",
    }
    needs |= {key: drawn[key] for key in drawn if rng.random() < 0.2}
    return Case({"needs": needs})


def check_requirements(case: Case, folder: Path, rng: Random) -> str:
    """Asks for advice, with or without a folder for it."""
    kept = ["--out", str(folder / "kept")] if rng.random() < 0.3 else []
    ended = _asked("advise", dict(case.content["needs"]), folder, *kept, "--json")
    if kept and ended in ("done", "verdict"):
        _written(folder / "kept", "advice.csv", "advice.svg")
    return ended


def sets(seed: int) -> Case:
    """Makes a schedulability study of a few sets."""
    rng = Random(f"sets {seed}")
    protocols = [{"protocol": name} for name in rng.sample(PROTOCOLS, rng.randint(1, 3))]
    drawn = {
        "priorities": rng.randint(1, 3),
        "jitter": rng.choice([0, 0.5, 2]),
        "drift": rng.choice([0, 50]),
        "sporadic": rng.choice([0, 0.5]),
        "simulate": rng.random() < 0.5,
        "trials": rng.randint(1, 3),
        "most_packets": rng.randint(1, 4),
    }
    study = {
        "scenario": {"network": {"nodes": rng.randint(1, 6), "hop_delay": rng.choice([1, 6, 20])}},
        "protocols": protocols,
        "utilisations": sorted(rng.sample([0.01, 0.1, 0.3, 0.6, 0.9, 1.0], rng.randint(1, 3))),
        "sets": rng.randint(1, 2),
        "messages": rng.randint(1, 5),
        "periods": [f"{rng.choice([1, 5])} us", f"{rng.choice([5, 20])} us"],
        **{key: drawn[key] for key in drawn if rng.random() < 0.3},
    }
    return Case({"study": study})


def check_sets(case: Case, folder: Path, rng: Random) -> str:
    """Makes the study; its table and picture are there."""
    ended = _asked("schedulability", dict(case.content["study"]), folder, "--out", str(folder / "kept"), "--json")
    if ended in ("done", "verdict"):
        _written(folder / "kept", "schedulability.csv")
    return ended


def verified(seed: int) -> Case:
    """Makes a message set on a ring of a few nodes, which is verified."""
    rng = Random(f"verified {seed}")
    nodes = rng.randint(2, 5)
    messages = [
        {
            "name": f"m{number}",
            "source": (source := rng.randrange(nodes)),
            "destination": (source + rng.randint(1, nodes - 1)) % nodes,
            "size": rng.choice([1, 64, 200]),
            "period": f"{rng.choice([2, 4, 8, 10])} us",
            **({"deadline": "1 us"} if rng.random() < 0.3 else {}),
            **({"jitter": "100 ns"} if rng.random() < 0.2 else {}),
            **({"priority": rng.randint(0, 2)} if rng.random() < 0.3 else {}),
        }
        for number in range(rng.randint(1, 4))
    ]
    scenario = {
        "network": {"nodes": nodes, "hop_delay": rng.choice([1, 8, 30])},
        "queues": {"service_time": rng.choice([0, "20 ns"])},
        "messages": messages,
    }
    return Case({"scenario": scenario, "protocols": rng.sample(PROTOCOLS, rng.randint(1, 2))})


def check_verified(case: Case, folder: Path, rng: Random) -> str:
    """Verifies the set, and computes its report again: nothing differs."""
    protocols = [word for name in case.content["protocols"] for word in ("--protocol", name)]
    out = folder / "kept"
    words = ("--trials", "2", "--tolerance", "0.5", *protocols, "--out", str(out))
    ended = _asked("verify", dict(case.content["scenario"]), folder, *words)
    if ended in ("done", "verdict"):
        _written(out, "verification.json", "verification.html", "verification.pdf")
        pages = (out / "verification.pdf").read_bytes()
        require(pages.startswith(b"%PDF-") and pages.rstrip().endswith(b"%%EOF"), "the report is no whole PDF")
        if rng.random() < 0.3:
            again = command("verify", "--check", str(out / "verification.json"), "--workers", "1", verdicts=(VERDICT,))
            require(again in ("done", "verdict"), f"a report that was just written is {again}")
    return ended


def studied(seed: int) -> Case:
    """Makes a study of a ring over one or two axes."""
    rng = Random(f"studied {seed}")
    drawn = {
        "flow_control.protocol": rng.sample(PROTOCOLS, 2),
        "traffic.load": ["1 MB/s", f"{rng.choice([50, 900])} MB/s"],
        "network.hop_delay": [1, rng.choice([2, 30])],
        "traffic.transaction": rng.sample(["send16", "send80", "read64", "dmove64"], 2),
    }
    scenario: dict[str, Any] = {
        "network": {"nodes": rng.randint(1, 5)},
        "run": {"duration": f"{rng.choice([1, 9])} us"},
    }
    if rng.random() < 0.7:
        scenario["traffic"] = {"arrivals": "poisson", "load": "40 MB/s"}
    axes = [{key: drawn[key]} for key in rng.sample(sorted(drawn), rng.randint(1, 2))]
    study = {"scenario": scenario, "axes": axes, "replications": {"count": rng.randint(1, 3)}}
    return Case({"study": study, "format": rng.choice(["png", "svg", "pdf", "pgf"])})


def check_studied(case: Case, folder: Path, rng: Random) -> str:
    """Makes the study with its page, and draws it again."""
    out = folder / "kept"
    ended = _asked("sweep", dict(case.content["study"]), folder, "--report", "--out", str(out))
    if ended == "done":
        _written(out, "report.html", "summary.csv", "points.csv")
        drawn = folder / "drawn"
        words = ("--format", str(case.content["format"]), "--out", str(drawn))
        require(command("plot", str(out), *words) == "done", "a study that was just made is not drawn")
        require(any(drawn.iterdir()), "a study without a figure")
    return ended


def _asked(first: str, content: dict[str, Any], folder: Path, *words: str) -> str:
    """Gives a command what it takes as a file, and reads again what it prints as JSON."""
    import tomli_w

    (folder / "drawn.toml").write_text(tomli_w.dumps(content), encoding="utf-8")
    printed: list[str] = []
    ended = command(
        first,
        str(folder / "drawn.toml"),
        *words,
        "--workers",
        "1",
        fails=FAILS,
        verdicts=(1, VERDICT),
        printed=printed,
    )
    if ended in ("done", "verdict") and "--json" in words:
        json.loads(printed[0], parse_constant=lambda word: require(False, f"{word} in what {first} prints"))
    return ended


def _written(folder: Path, *names: str) -> None:
    """Requires that files are there, and hold something."""
    for name in names:
        require((folder / name).is_file() and (folder / name).stat().st_size > 0, f"{name} is missing or empty")


ADVICE = Kind(
    "advice", "advice on drawn requirements: a network, none, or one message", requirements, check_requirements
)
SETS = Kind("sets", "schedulability studies that are drawn: a table and a verdict, or one message", sets, check_sets)
VERIFIED = Kind(
    "verified", "drawn message sets verified: the report is the same computed again", verified, check_verified
)
STUDIED = Kind("studied", "drawn studies: tables, the page, and figures in each format", studied, check_studied)
