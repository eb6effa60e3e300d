"""`ringlet bound`: what theory allows."""

from ringlet.cli import output
from ringlet.cli.arguments import AsJson, Overrides, ScenarioFile, load
from ringlet.cli.figures import column, figure
from ringlet.cli.limits import check_matrix_size
from ringlet.cli.tables import SHOWN_NODES, left_out, table
from ringlet.scenario.optimum import check_one_way, check_single_ring, optimum

NAME = "bound"
SUMMARY = "Optimal throughput of each node."


def command(scenario: ScenarioFile, overrides: Overrides = None, json: AsJson = False) -> None:
    """Compute the optimal throughput of each node, without and with echoes, in words per cycle.

    The optimum is max-min fair ("relaxed fairness", picker1994, Section 4): a node could get more only at the cost of
    another that gets no more than it. With echoes it is the paper's approximation.

    \b
    Examples:
        ringlet bound ring.toml
        ringlet bound ring.toml --set traffic.pattern=neighbour
        ringlet bound ring.toml --json
    """
    loaded = load(scenario, overrides)
    check_single_ring(loaded, f"'ringlet {NAME}'")
    check_matrix_size(loaded, NAME)
    check_one_way(loaded, f"'ringlet {NAME}'")
    optimal = optimum(loaded, with_echo=False).tolist()
    with_echo = optimum(loaded).tolist()
    if json:
        nodes = [
            {"id": node, "optimal": without, "optimal_with_echo": with_}
            for node, (without, with_) in enumerate(zip(optimal, with_echo, strict=True))
        ]
        output.write_json({"nodes": nodes})
        return
    rows = table(("node", "optimal\nwords per cycle", "with echoes\nwords per cycle"))
    shown = zip(column(optimal[:SHOWN_NODES]), column(with_echo[:SHOWN_NODES]), strict=True)
    for node, figures in enumerate(shown):
        rows.add_row(str(node), *figures)
    left_out(len(optimal), rows)
    rows.add_row("total", figure(sum(optimal)), figure(sum(with_echo)), style="bold")
    output.write_table(rows)
