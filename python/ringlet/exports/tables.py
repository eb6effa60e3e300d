"""Flows and links as CSV files."""

from ringlet.exports.content import Exported, csv_text, number
from ringlet.exports.flows import flow_table
from ringlet.exports.links import interfaces
from ringlet.scenario.scenario import Scenario

FLOWS = "-flows.csv"
LINKS = "-links.csv"

LINK_COLUMNS = ("source", "destination", "ring", "rate_MBps", "hop_delay_ns", "source_switch", "destination_switch")


def written(scenario: Scenario, stem: str) -> Exported:
    """Returns the flows and the links of a scenario as two CSV files.

    Raises:
        RingletError: a table cannot hold the traffic.
    """
    flows, there = flow_table(scenario.resolved), interfaces(scenario.resolved)
    rows = [
        (one.name, to.name, one.ring, number(one.link_rate_MBps), number(one.hop_delay_ns), one.switch, to.switch)
        for one in there
        for to in (there[one.following],)
    ]
    found = Exported({LINKS: csv_text([LINK_COLUMNS, *rows])}, [f"links: {len(rows)}", *flows.taken], flows.left_out)
    if flows.rows:
        found.files[FLOWS] = csv_text(flows.cells())
        found.back.append(f"flows_file = '{stem}{FLOWS}' reads the flows again; it needs the names of the nodes")
        found.back += [f"not in the flows: {key}" for key in flows.cut]
    found.back.append("nothing reads the links again: --format graphml has those of a ring")
    return found
