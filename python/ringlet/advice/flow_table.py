"""A table of flows as requirements: who sends how much to whom."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringlet.errors import Problems, RingletError
from ringlet.scenario.activities.flows.arrivals import AT_RATE, check_keys
from ringlet.scenario.activities.flows.keys import COLUMNS, FlowKeys, counts_messages
from ringlet.scenario.activities.flows.sizes import sizes_of
from ringlet.scenario.activities.own_names import with_own_names
from ringlet.scenario.activities.receivers import ALL
from ringlet.scenario.activities.tables import file_rows, keys_of
from ringlet.scenario.values.node_names import check_names, within
from ringlet.scenario.values.transactions import TRANSACTIONS
from ringlet.scenario.values.units import magnitude

DEFAULT_TRANSACTION = "dmove64"

Row = Mapping[str, Any]
"""Keys of a flow, with its nodes as the file calls them."""


@dataclass(frozen=True)
class FlowTable:
    """Flows from senders to receivers. In `flows` senders are numbered from 0, and receivers behind them."""

    senders: tuple[str, ...]
    """Name of each sender."""
    receivers: tuple[str, ...]
    """Name of each receiver."""
    flows: tuple[FlowKeys, ...]
    rates: tuple[float, ...]
    """Mean rate of the data of each flow, in MB/s."""
    mean_bytes: tuple[float, ...]
    """Mean size of the messages of each flow."""
    most_bytes: tuple[int, ...]
    """Largest size of a message of each flow."""

    @cached_property
    def demands(self) -> NDArray[np.float64]:
        """Data from each sender to each receiver in MB/s; shape (senders, receivers)."""
        found = np.zeros((len(self.senders), len(self.receivers)))
        for flow, rate in zip(self.flows, self.rates, strict=True):
            for receiver, share in self.shares(flow).items():
                found[flow.source, receiver] += share * rate
        return found

    @property
    def most_MBps(self) -> float:  # noqa: N802 - the unit
        """Data of the sender that has most."""
        return float(self.demands.sum(axis=1).max())

    def shares(self, flow: FlowKeys) -> dict[int, float]:
        """Returns the share of a flow's messages that each receiver takes, by its number among the receivers."""
        given, first = flow.destination, len(self.senders)
        if given == ALL:
            return dict.fromkeys(range(len(self.receivers)), 1 / len(self.receivers))
        if isinstance(given, Mapping):
            return {node - first: share for node, share in given.items()}
        nodes = given if isinstance(given, list) else [int(given)]
        return {node - first: 1 / len(nodes) for node in nodes}

    def content(
        self,
        senders: Sequence[int],
        receivers: Sequence[int],
        factors: Sequence[float],
        reached: NDArray[np.bool_],
    ) -> list[dict[str, Any]]:
        """Returns the flows as a scenario has them, without those that have no way to any receiver.

        Args:
            senders: node of each sender.
            receivers: node of each receiver.
            factors: of each sender, by which its data grow.
            reached: whether each sender has a way to each receiver; shape (senders, receivers).
        """
        found = []
        for flow in self.flows:
            shares = {
                receiver: share for receiver, share in self.shares(flow).items() if reached[flow.source, receiver]
            }
            left = sum(shares.values())
            if not left:
                continue
            factor = factors[flow.source] * left
            keys = flow.table(only_given=True) | {"name": flow.name, "source": senders[flow.source]}
            to = {str(receivers[receiver]): share / left for receiver, share in shares.items()}
            keys["destination"] = receivers[next(iter(shares))] if len(to) == 1 else to
            if factor != 1:
                keys |= _faster(flow, factor)
            found.append(keys)
        return found


def _faster(flow: FlowKeys, factor: float) -> dict[str, str]:
    """Returns the keys with which a flow has so many times the data."""
    if flow.period is not None:
        return {"period": f"{magnitude(str(flow.period), 'ns') / factor:.15g} ns"}
    assert flow.rate is not None
    unit = "kHz" if counts_messages(flow.rate) else "MB/s"
    return {"rate": f"{factor * magnitude(flow.rate, unit):.15g} {unit}"}


def read_rows(file: Path) -> list[tuple[str, Row]]:
    """Reads a CSV or Parquet file of flows, and returns where each row stands, and its keys.

    Raises:
        RingletError: the file cannot be read, or is no table of flows.
    """
    found: list[tuple[str, Row]] = []
    header = None
    for place, cells in file_rows(file):
        if header is None:
            header = COLUMNS.of([str(cell) for cell in cells], place)
        elif len(cells) != len(header):
            raise RingletError.not_allowed(place, f"<{len(cells)} values>", f"{len(header)}, one per column")
        else:
            # What looks like a number is a name, too.
            found.append((f"{place}, ", keys_of(header, cells)))
    if not found:
        raise RingletError.not_allowed(str(file), "<no flow>", "a header and at least one line below it")
    return found


def flow_table(rows: Sequence[tuple[str, Row]], receivers: int | None, packet_bytes: int) -> FlowTable:
    """Returns the flows of a table.

    Args:
        rows: where each row stands, and its keys.
        receivers: number of receivers; None: those that rows name.
        packet_bytes: data of a packet.

    Raises:
        RingletError: a row that is no flow, or that needs no network of senders and receivers.
    """
    senders = tuple(dict.fromkeys(str(row["source"]) for _, row in rows if "source" in row))
    named = dict.fromkeys(name for _, row in rows for name in _destinations(row.get("destination")))
    takes_all = any(row.get("destination") == ALL for _, row in rows)
    if both := next((name for name in senders if name in named), None):
        allowed = "a node that either sends or receives: the network has the ones apart from the others"
        raise RingletError.not_allowed("flows", both, allowed)
    if receivers is None and not named:
        raise RingletError("receivers: missing; no flow names a receiver, so their number is needed")
    number = len(named) if receivers is None else receivers
    if number < len(named) or (number > len(named) and not takes_all):
        raise RingletError.not_allowed("receivers", number, f"{len(named)}, as flows name them, or more with 'all'")
    taken = iter(f"receiver {i}" for i in range(number + len(named)) if f"receiver {i}" not in named)
    every = (*senders, *named, *(next(taken) for _ in range(number - len(named))))
    check_names(every, len(every))
    numbers = {name: place for place, name in enumerate(every)}
    flows: list[FlowKeys] = []
    rates: list[float] = []
    names: set[str] = set()
    means: list[float] = []
    largest: list[int] = []
    problems = Problems()
    with within(every, lambda: numbers):
        for place, row in rows:
            with problems.collected():
                try:
                    flow = FlowKeys(**_with_names(row))
                    check_keys(flow, "")
                    if flow.multicast:
                        allowed = "false, for advice: networks of several rings copy no packets"
                        raise RingletError.not_allowed("multicast", True, allowed)
                    if "name" in flow.given:
                        if flow.name in names:
                            raise RingletError.not_allowed("name", flow.name, "a name that no other flow has, or none")
                        names.add(flow.name)
                    sizes = sizes_of(flow, packet_bytes, "")
                    rates.append(_rate(flow, sizes.mean_bytes))
                except RingletError as error:
                    raise error.behind(place) from None
                means.append(sizes.mean_bytes)
                largest.append(sizes.most_bytes)
                flows.append(flow)
    problems.check()
    called = tuple(with_own_names(flows))
    return FlowTable(senders, every[len(senders) :], called, tuple(rates), tuple(means), tuple(largest))


def _destinations(given: Any) -> Iterator[str]:  # noqa: ANN401 - whatever a file holds
    """Yields the names of the receivers of a row."""
    if given is not None and given != ALL:
        yield from map(str, given if isinstance(given, list | Mapping) else [given])


def _with_names(row: Row) -> dict[str, Any]:
    """Returns the keys of a row with its nodes as texts, which are names even where they look like numbers."""
    keys = dict(row)
    if "source" in keys:
        keys["source"] = str(keys["source"])
    to = keys.get("destination")
    if isinstance(to, list):
        keys["destination"] = [str(one) for one in to]
    elif isinstance(to, Mapping):
        keys["destination"] = {str(one): share for one, share in to.items()}
    elif to is not None:
        keys["destination"] = str(to)
    return keys


def _rate(flow: FlowKeys, mean_bytes: float) -> float:
    """Returns the mean rate of a flow's data in MB/s."""
    if flow.arrivals not in AT_RATE:
        allowed = f"{', '.join(map(repr, AT_RATE))}: arrivals with a rate, which a network has to carry"
        raise RingletError.not_allowed("arrivals", flow.arrivals, allowed)
    if flow.rate is not None:
        if not counts_messages(flow.rate):
            return magnitude(flow.rate, "MB/s")
        return magnitude(flow.rate, "MHz") * mean_bytes
    times = [one for one in (flow.period, flow.sporadic) if one]
    if not all(isinstance(one, str) and not one.rstrip().endswith(("cycle", "cycles")) for one in times):
        raise RingletError.not_allowed("period", times[0], "a time with a unit, such as '10 us'")
    return 1e3 * mean_bytes / sum(magnitude(str(one), "ns") for one in times)


def with_flows(content: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """Returns the content of requirements with the flows of a file in it, and with what they say of senders, receivers
    and rate; and the size of the largest message, 0 without flows.

    Raises:
        RingletError: a flow that is none, or another key that says the same.
    """
    file = content.get("flows_file")
    if file is not None and "flows" in content:
        raise RingletError("flows_file: given together with flows; one of them is allowed")
    if isinstance(file, str):
        rows = read_rows(Path(file))
        content = {key: value for key, value in content.items() if key != "flows_file"}
        content["flows"] = [dict(row) for _, row in rows]
    elif isinstance(flows := content.get("flows"), list) and all(isinstance(flow, Mapping) for flow in flows):
        rows = placed(flows)
    else:
        return content, 0
    receivers = content.get("receivers")
    if not rows or not (receivers is None or isinstance(receivers, int)):
        return content, 0
    table = flow_table(rows, receivers, payload_bytes(content.get("transaction", DEFAULT_TRANSACTION)))
    said = {"senders": len(table.senders), "receivers": len(table.receivers), "rate": f"{table.most_MBps:.15g} MB/s"}
    for key, value in said.items():
        if content.get(key, value) != value:
            raise RingletError.not_allowed(key, content[key], f"none with flows, which say it: {value}")
    return content | said, max(table.most_bytes)


def placed(flows: Sequence[Row]) -> list[tuple[str, Row]]:
    """Returns flows of requirements with their places."""
    return [(f"flows[{i}].", flow) for i, flow in enumerate(flows)]


def payload_bytes(transaction: Any) -> int:  # noqa: ANN401 - whatever a file holds
    """Returns the data of a packet; those of the default where the transaction is refused later."""
    return int(TRANSACTIONS.get(str(transaction), TRANSACTIONS[DEFAULT_TRANSACTION]).payload_bytes)
