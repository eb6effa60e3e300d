"""How a figure is read from the JSON of the runs of a case; times in cycles."""

from typing import Any

Document = dict[str, Any]


def _wait(document: Document, latency: Document) -> float:
    return (latency["mean"] - latency["min"]) / document["symbol_time_ns"]


def wait_cycles(document: Document) -> float:
    """Mean latency of node 0 beyond the least, that of a packet that finds nobody."""
    return _wait(document, document["nodes"][0]["latency_ns"])


def wait_p99_cycles(document: Document) -> float:
    latency = document["nodes"][0]["latency_ns"]
    return (latency["p99"] - latency["min"]) / document["symbol_time_ns"]


def wait_p95_cycles(document: Document) -> float:
    latency = document["nodes"][0]["latency_ns"]
    return (latency["p95"] - latency["min"]) / document["symbol_time_ns"]


def wait_of_mixed_cycles(document: Document) -> float:
    """Packets of 40 and 8 words, 40 and 60 %: a mean of 20.8, and the hop."""
    latency = document["nodes"][0]["latency_ns"]
    overhead = latency["min"] / document["symbol_time_ns"] - 8
    return latency["mean"] / document["symbol_time_ns"] - 20.8 - overhead


def wait_of_priority_0_cycles(document: Document) -> float:
    return _wait(document, document["priorities"][0]["latency_ns"])


def wait_of_priority_1_cycles(document: Document) -> float:
    return _wait(document, document["priorities"][1]["latency_ns"])


def wait_of_eight_cycles(document: Document) -> float:
    return sum(_wait(document, node["latency_ns"]) for node in document["nodes"][:8]) / 8


def mean_latency_cycles(document: Document) -> float:
    return document["total"]["latency_ns"]["mean"] / document["symbol_time_ns"]


def lost_percent(document: Document) -> float:
    node = document["nodes"][0]
    return 100 * node["lost_packets"] / (node["lost_packets"] + node["delivered_packets"])


def resent_percent(document: Document) -> float:
    node = document["nodes"][0]
    return 100 * node["retries"] / node["delivered_packets"]


def packets_over_rate_times_time(document: Document) -> float:
    """Of node 0: packets in its transmit queue over arrivals in a cycle times the time until the last symbol has left.

    Of the latency the hop of one cycle comes after that.
    """
    node, symbol_ns = document["nodes"][0], document["symbol_time_ns"]
    rate = node["throughput_MBps"] * symbol_ns * 1e-3 / 288
    return node["transmit_queue_mean_packets"] / (rate * (node["latency_ns"]["mean"] / symbol_ns - 1))


def transactions_under_way(document: Document) -> float:
    """Of a node on average: blocks of 64 bytes per ns times what one takes, the pause of 500 ns included."""
    nodes = document["nodes"]
    return sum(node["throughput_MBps"] / 64e3 * (node["message_latency_ns"]["mean"] + 500) for node in nodes) / len(
        nodes
    )


def services_per_us(document: Document) -> float:
    return document["total"]["throughput_MBps"] / 64


def total_words_per_cycle(document: Document) -> float:
    return document["total"]["throughput_words_per_cycle"]


def total_MBps(document: Document) -> float:  # noqa: N802 - the unit
    return document["total"]["throughput_MBps"]


def _words(document: Document) -> list[float]:
    return [node["throughput_words_per_cycle"] for node in document["nodes"]]


def least_words_per_cycle(document: Document) -> float:
    return min(_words(document))


def least_of_four_words_per_cycle(document: Document) -> float:
    return min(_words(document)[:4])


def last_flow_words_per_cycle(document: Document) -> float:
    """Words of packets with 64 bytes of data, of 40 words, on links of a word in 2 ns."""
    return document["flows"][-1]["delivered_MBps"] * 1e6 / 64 * 40 * 2e-9


def least_over_most(document: Document) -> float:
    words = _words(document)
    return min(words) / max(words)


def ratio_of_totals(one: Document, other: Document) -> float:
    return total_words_per_cycle(one) / total_words_per_cycle(other)


def fan_in_of_greatest_deviation(*documents: Document) -> float:
    """Fan-in of the run whose nodes are farthest below the optimum on average, as a share of it."""

    def deviation(document: Document) -> float:
        fan_in, nodes = document["scenario"]["traffic"]["fan_in"], document["nodes"]
        best = [1 / fan_in if k < fan_in else 1.0 for k in range(len(nodes))]
        shares = sorted(_words(document))
        return sum(1 - share / optimum for share, optimum in zip(shares, sorted(best), strict=True)) / len(nodes)

    return max(documents, key=deviation)["scenario"]["traffic"]["fan_in"]
