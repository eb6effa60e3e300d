"""Records of what link controllers and B-Links did in a run."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ringlet._engine import Simulation
from ringlet.rings import Network
from ringlet.scenario import Scenario
from ringlet.scenario.activities.messages.activity import Counters

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_NAMED = 8
"""Link controllers that a warning names."""


@dataclass(frozen=True, slots=True)
class SwitchRecords:
    """Counts of a run's measured time, kept as they are until they are read."""

    network: Network
    ports: Counters
    links: Counters
    symbol_time_ns: float
    symbol_cycles: "NDArray[np.int64]"
    """Cycles that a symbol takes on each ring; shape (rings,)."""
    cycles: int

    @classmethod
    def of(cls, simulation: Simulation, scenario: Scenario, *, cycles: int) -> "SwitchRecords | None":
        """Reads them from a run that is over; None without switches.

        Args:
            simulation: after the run.
            scenario: that was simulated.
            cycles: that were measured.
        """
        if not scenario.network.switched:
            return None
        network, ns = scenario.routed_network[0], float(scenario.symbol_time_ns)
        counters = simulation.port_counters(), simulation.link_counters()
        return cls(network, *counters, ns, scenario.resolved.symbol_cycles, cycles)

    def controllers(self) -> list[dict[str, Any]]:
        """Returns a record for each link controller."""
        ports, cycles = self.ports, max(self.cycles, 1)
        return _records(
            name=self._names(ports, of_ports=True),
            ring=ports["ring"].tolist(),
            sent_packets=ports["sent_packets"].tolist(),
            retries=ports["retries"].tolist(),
            accepted_packets=ports["accepted_packets"].tolist(),
            refused_packets=ports["refused_packets"].tolist(),
            link_busy_fraction=(1 - ports["link_idle_symbols"] * self.symbol_cycles[ports["ring"]] / cycles).tolist(),
            transmit_mean_packets=(ports["transmit_queue_packet_cycles"] / cycles).tolist(),
            transmit_max_packets=ports["transmit_queue_max"].tolist(),
            receive_mean_packets=(ports["receive_queue_packet_cycles"] / cycles).tolist(),
            receive_max_packets=ports["receive_queue_max"].tolist(),
            output_inversions=ports["output_inversions"].tolist(),
            output_inversion_ns=(ports["output_inversion_cycles"] * self.symbol_time_ns).tolist(),
            input_inversions=ports["input_inversions"].tolist(),
            input_inversion_ns=(ports["input_inversion_cycles"] * self.symbol_time_ns).tolist(),
        )

    def b_links(self) -> list[dict[str, Any]]:
        """Returns a record for each B-Link."""
        links = self.links
        ps = max(self.cycles, 1) * self.symbol_time_ns * 1e3
        return _records(
            name=self._names(links, of_ports=False),
            packets=links["packets"].tolist(),
            busy_fraction=(links["busy_ps"] / ps).tolist(),
            inversions=links["inverted_packets"].tolist(),
            inversion_ns=(links["inverted_ps"] / 1e3).tolist(),
        )

    def warnings(self) -> list[str]:
        """Returns a line about link controllers that never got a turn, though packets waited there most of the time."""
        ports, half = self.ports, self.cycles / 2
        is_silent = (ports["sent_packets"] + ports["retries"] == 0) & (ports["transmit_queue_packet_cycles"] > half)
        if not is_silent.any():
            return []
        names = self._names({key: column[is_silent] for key, column in ports.items()}, of_ports=True)
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        said = ", ".join(names[:MOST_NAMED])
        return [f"without a turn: packets waited at {said}{more}, and none was sent on its ring"]

    def _names(self, counters: Counters, *, of_ports: bool) -> list[str]:
        """Returns the names of link controllers or B-Links."""
        network, switches = self.network, counters["switch"].tolist()
        is_cascade = bool((self.links["link"] > 0).any())
        behind = [f" B-Link {link}" for link in counters["link"].tolist()] if is_cascade else [""] * len(switches)
        if not of_ports:
            behind = behind if is_cascade else [" B-Link"] * len(switches)
            return [network.names.switch(switch) + link for switch, link in zip(switches, behind, strict=True)]
        first = network.switch_start
        places = zip(switches, counters["port"].tolist(), behind, strict=True)
        return [network.port_name(int(first[switch]) + port) + link for switch, port, link in places]


def _records(**columns: Sequence[Any]) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
