"""`ringlet topology`: rings, switches, routes, cost and deadlock of a network."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ringlet.cli import output
from ringlet.cli.arguments import PATH, as_json, load, scenario_file, set_keys
from ringlet.cli.tables import SHOWN_NODES, Table, figure, left_out
from ringlet.errors import RingletError
from ringlet.rings import Network, Survey, drawing, path, survey
from ringlet.rings.survey import ring_interfaces, role_counts
from ringlet.scenario import Scenario
from ringlet.scenario.values.node_names import number_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


SHOWN_INTERFACES = 12

PARTS = {
    "switches": "switches, bridges and routers",
    "ports": "ports of all of them",
    "rings": "rings",
    "ringlets": "of these, ringlets (two interfaces)",
    "cables": "cables (links of one direction)",
    "adapters": "node interfaces",
}

BUFFERS = {
    "requests": "requests without responses",
    "shared": "responses in the same buffers",
    "separate": "responses in buffers of their own",
}


@click.command
@scenario_file
@set_keys
@click.option(
    "--route",
    "ways",
    metavar="FROM:TO",
    multiple=True,
    help="Show the way between two nodes, such as P0:M3 or 0:19. May be repeated.",
)
@click.option("--plot", metavar="FILE", type=PATH, help="Draw the network: .svg, .png or .pdf.")
@as_json
def command(scenario: Path, overrides: Sequence[str], ways: Sequence[str], plot: Path | None, json: bool) -> None:
    """Show what a network is made of: rings, switches, ports, routes, cost, and whether it can deadlock.

    Nodes are called P (processors), M (memories) or N (nodes that compute and have memory), and are numbered from 0 in
    each kind; JSON has their numbers in the network. A way's crossings are the switches on it, its hops the links.
    Nothing is simulated.

    \b
    Examples:
        ringlet topology omega.toml
        ringlet topology omega.toml --set network.connection=long-ring --set network.radix=4
        ringlet topology omega.toml --route P0:M5 --plot omega.svg
        ringlet topology omega.toml --json
    """
    loaded = load(scenario, overrides)
    network, routes = loaded.routed_network
    routed = [(text, path(network, routes, *_ends(text, network))) for text in ways]
    stages = loaded.network.stages
    if plot is not None:
        _write_picture(loaded, plot)
    found = survey(network, routes, stages)
    if json:
        shown = {"ways": [{"route": text, "through": names} for text, names in routed]} if routed else {}
        document = {"schema": 1, "topology": loaded.network.topology, **found.to_dict(), **shown}
        output.write_json(document)
        return
    output.write_line(f"{scenario}: {loaded.network.title}: {_nodes(network)}")
    for write in (_write_parts, _write_rings, _write_lengths, _write_deadlock):
        output.write_line()
        write(found)
    if found.closure is not None:
        output.write_line()
        output.write_line(_closure(loaded, found))
    for text, names in routed:
        output.write_line()
        output.write_line(f"{text}: {' > '.join(names)}")
    if plot is not None:
        output.write_line()
        output.write_line(f"The drawing: {plot}")


def picture(scenario: Scenario) -> "Figure":
    """Returns the drawing of a scenario's network.

    Raises:
        RingletError: it is too large to be drawn.
    """
    network = scenario.routed_network[0]
    drawing.check_size(network)
    return scenario.network.drawn(network)


def _write_picture(scenario: Scenario, file: Path) -> None:
    drawing.check_format(file)
    drawing.save(picture(scenario), file)


def _ends(text: str, network: Network) -> tuple[int, int]:
    """Returns the nodes of `FROM:TO`, each a number in the network or a name."""
    names = text.split(":")
    if len(names) != 2:
        raise RingletError.not_allowed("--route", text, "FROM:TO, such as P0:M3 or 0:19")
    known = {network.node_name(node): node for node in range(network.nodes)}
    ends = []
    for name in names:
        is_number = name not in known and name.isascii() and name.isdigit() and len(name) < 7
        number = number_of(int(name) if is_number else known.get(name, known.get(name.upper(), name)), known, "--route")
        if not 0 <= number < network.nodes:
            allowed = f"nodes, as numbers from 0 to {network.nodes - 1} or as names such as {network.node_name(0)}"
            raise RingletError.not_allowed("--route", text, allowed)
        ends.append(number)
    return ends[0], ends[1]


def _nodes(network: Network) -> str:
    counts = zip(role_counts(network).values(), ("processors", "memories", "nodes"), strict=True)
    return ", ".join(f"{count} {name}" for count, name in counts if count)


def _write_parts(found: Survey) -> None:
    rows = Table(("part", "count"))
    for key, name in PARTS.items():
        rows.add_row(name, str(getattr(found.cost, key)))
    output.write_table(rows)


def _write_rings(found: Survey) -> None:
    network = found.network
    rows = Table(("ring", "interfaces"), words=("in the direction of its links; S3.1 is port 1 of switch 3",))
    every = ring_interfaces(network)
    for ring, interfaces in enumerate(every[:SHOWN_NODES]):
        names = [
            network.node_name(one) if isinstance(one, int) else f"S{one[0]}.{one[1]}"
            for one in interfaces[:SHOWN_INTERFACES]
        ]
        more = [f"... {len(interfaces) - len(names)} more"] if len(interfaces) > len(names) else []
        rows.add_row(network.names.ring(ring), str(len(interfaces)), " ".join([*names, *more]))
    left_out(len(every), rows)
    output.write_table(rows)


def _write_lengths(found: Survey) -> None:
    lengths = found.lengths
    rows = Table(("crossings", "ways", "share"))
    for crossings, ways in enumerate(lengths.crossings):
        if ways:
            rows.add_row(str(crossings), str(ways), f"{100 * ways / lengths.followed:z.1f} %")
    output.write_table(rows)
    sample = (
        ""
        if lengths.followed == lengths.pairs
        else f", from those of some senders: {lengths.followed} of {lengths.pairs}"
    )
    output.write_line(
        f"A request crosses {figure(lengths.mean_crossings)} switches and {figure(lengths.mean_hops)} links on "
        f"average, "
        f"{lengths.max_crossings} and {lengths.max_hops} at most{sample}."
    )


def _write_deadlock(found: Survey) -> None:
    rows = Table(("buffers",), words=("deadlock",))
    for check in found.deadlock:
        rows.add_row(BUFFERS[check.buffers], "none possible" if check.free else "possible")
    output.write_table(rows)
    for check in found.deadlock:
        if not check.free:
            output.write_line(f"{BUFFERS[check.buffers]}: {_circle(check.cycle)}")


def _circle(cycle: Iterable[str]) -> str:
    names = list(cycle)
    return " waits for ".join([*names, names[0]])


def _closure(loaded: Scenario, found: Survey) -> str:
    closure, name = found.closure, loaded.network.topology
    assert closure is not None
    # The network itself may be of ringlets.
    head = "Closure with long rings" if not loaded.network.long_rings else "Closure"
    if closure.one_to_one:
        return (
            f"{head}: output l leads to input l; that makes {closure.rings} rings of one processor and one memory "
            f"each ({name})."
        )
    return (
        f"{head}: needs permuted wiring ({name}); output l to input l would make {closure.rings} rings, "
        f"with up to {closure.longest} processors."
    )
