"""Formulas that simulations are held against; times in cycles, loads as shares of what the server can carry."""

import math


def md1_wait(load: float, service: float) -> float:
    """Mean wait of Poisson arrivals at a server with equal services (Pollaczek and Khinchine)."""
    return load * service / (2 * (1 - load))


def md1_wait_quantile(load: float, service: float, quantile: float) -> float:
    """Quantile of that wait: bisection of Erlang's distribution, as C. D. Crommelin (1932) writes it.

    With `a_k = load * (k - t / service)`, k up to t / service:
    `P(W <= t) = (1 - load) * sum_k (a_k)^k / k! * exp(-a_k)`.
    """

    def probability(services: float) -> float:
        terms = [
            math.pow(load * (k - services), k) / math.factorial(k) * math.exp(-load * (k - services))
            for k in range(math.floor(services) + 1)
        ]
        return (1 - load) * math.fsum(terms)

    low, high = 0.0, 12.0
    assert probability(high) > quantile, "so many services are computed without cancellation"
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if probability(middle) < quantile else (low, middle)
    return low * service


def mg1_wait(load: float, services: list[float], shares: list[float]) -> float:
    """Mean wait of Poisson arrivals at a server with services of several lengths (Pollaczek and Khinchine)."""
    mean = sum(share * service for share, service in zip(shares, services, strict=True))
    square = sum(share * service**2 for share, service in zip(shares, services, strict=True))
    return load / mean * square / (2 * (1 - load))


def geo_d1_wait(load: float, service: float) -> float:
    """Mean wait of Bernoulli arrivals, at most one in a cycle, at a server with equal services."""
    return load * (service - 1) / (2 * (1 - load))


def cobham_wait(higher: float, own: float, lower: float, service: float) -> float:
    """Mean wait of one class where classes go before each other, but no service is broken off (A. Cobham 1954)."""
    residual = (higher + own + lower) * service / 2
    return residual / ((1 - higher) * (1 - higher - own))


def md1k_loss(load: float, places: int) -> float:
    """Share of Poisson arrivals lost at a server with equal services and so many places, that in service included.

    From the chain of what departures leave behind: with `pi` its distribution and `idle = pi_0`, the share is
    `1 - 1 / (idle + load)`.
    """
    arrivals = [math.exp(-load) * load**k / math.factorial(k) for k in range(places + 1)]
    # Left behind: 0 .. places - 1. Unnormalised, from the balance of the first states.
    left = [1.0]
    for state in range(places - 1):
        others = left[0] * arrivals[state] + sum(left[k] * arrivals[state + 1 - k] for k in range(1, state + 1))
        left.append((left[state] - others) / arrivals[0])
    idle = left[0] / sum(left)
    return 1 - 1 / (idle + load)


def uniform_ceiling(packet: float, echo: float) -> float:
    """Words of packets per cycle of a ring on which all nodes send to all others alike.

    A packet is taken off at its destination, after half of the way round on average; its echo goes the rest. So
    the ring carries two of both at a time.
    """
    return 2 * (packet - 1) / (packet + echo)


def neighbour_ceiling(nodes: int, packet: float, echo: float) -> float:
    """Words of packets per cycle where each node sends to the next one, and echoes go the rest of the way."""
    return nodes * (packet - 1) / (packet + (nodes - 1) * echo)


def token_ceiling(packet: float, walk: float) -> float:
    """Words of packets per cycle of a ring whose token each of the nodes keeps for one packet."""
    return (packet - 1) / (packet + walk)


def polling_latency(nodes: int, throughput: float, packet: float, walk: float, hop: float) -> float:
    """Mean latency in cycles of a ring whose token lets a node send one packet: cyclic service, limited to one.

    H. Takagi, Analysis of Polling Systems (1986): of equal queues with Poisson arrivals and a constant walk.
    """
    rate = throughput / (packet - 1)
    load = rate * packet
    wait = (rate * packet**2 + walk * (nodes + load)) / (2 * (1 - load - rate * walk))
    return wait + transit(nodes, packet, hop)


def shared_ceiling(senders: int, packet: float) -> float:
    """Words of packets per cycle of each of several nodes that share one link evenly."""
    return (packet - 1) / packet / senders


def rest_of_shared_ceiling(senders: int, packet: float) -> float:
    """Words of packets per cycle that one of several nodes, which share a link evenly, has left of its own link."""
    return (packet - 1) / packet - shared_ceiling(senders, packet)


def transit(nodes: int, packet: float, hop: float) -> float:
    """Mean latency on an idle ring in cycles: the packet itself, and half of the way round on average."""
    return packet + hop * nodes / 2


def resent(bit_error_rate: float, bits: int) -> float:
    """Times that a packet is sent again on average if each of the bits of packet and echo may be wrong (geometric)."""
    lost = 1 - (1 - bit_error_rate) ** bits
    return lost / (1 - lost)


def reciprocal(service: float) -> float:
    """Services in a unit of time of a server that is always busy."""
    return 1 / service


def square_root(nodes: int) -> float:
    """Fan-in at which equal shares for all nodes cost most: the f that maximises (1 - f / nodes) (1 - 1 / f)."""
    return math.sqrt(nodes)
