"""Writes stencil.csv: the packets of a parallel program, as a machine with a perfect network would send them.

64 processors hold an 8 x 8 grid of cells. In each iteration a processor reads a cache line from the neighbour to the
right and from the one below, computes, and sends its part of a sum up a tree to processor 0, which sends the result
down the same tree; then the next iteration begins. Times are cycles of a clock of 1 GHz.

    python stencil.py
"""

import csv
from pathlib import Path

SIDE, ITERATIONS, BRANCHES = 8, 4, 4
NODES = SIDE * SIDE
READ, COMPUTE, ADD, FORWARD = 40, 200, 20, 10
"""Cycles from a read to its data, of the computation, of an addition, and from a result to its being passed on."""


def packets() -> list[tuple[int, int, int, str, list[int]]]:
    """Returns time, source, destination, transaction and the places in this list of what a packet waits for."""
    sent: list[tuple[int, int, int, str, list[int]]] = []

    def send(source: int, destination: int, transaction: str, waits_for: dict[int, int], at: int = 0) -> int:
        """Appends a packet that is sent so many cycles after each of those that it waits for, or at a time."""
        time = max((sent[other][0] + cycles for other, cycles in waits_for.items()), default=at)
        sent.append((time, source, destination, transaction, list(waits_for)))
        return len(sent) - 1

    released: list[dict[int, int]] = [{} for _ in range(NODES)]
    for _ in range(ITERATIONS):
        computed: list[dict[int, int]] = []
        for node in range(NODES):
            right = node - node % SIDE + (node + 1) % SIDE
            below = (node + SIDE) % NODES
            reads = [send(node, neighbour, "read64", released[node]) for neighbour in (right, below)]
            computed.append(dict.fromkeys(reads, READ + COMPUTE))
        for node in reversed(range(1, NODES)):
            parent = (node - 1) // BRANCHES
            computed[parent][send(node, parent, "nwrite16", computed[node])] = ADD
        released = [computed[0], *({} for _ in range(1, NODES))]
        for node in range(1, NODES):
            parent = (node - 1) // BRANCHES
            released[node] = {send(parent, node, "dmove16", released[parent]): FORWARD}
    return sent


def main() -> None:
    """Writes the file."""
    sent = packets()
    order = sorted(range(len(sent)), key=lambda place: sent[place][0])
    names = {place: name for name, place in enumerate(order, start=1)}
    with Path(__file__).with_suffix(".csv").open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(["id", "cycle", "source", "destination", "transaction", "depends_on"])
        for place in order:
            time, source, destination, transaction, waits_for = sent[place]
            depends_on = " ".join(str(names[other]) for other in sorted(waits_for, key=names.__getitem__))
            table.writerow([names[place], time, source, destination, transaction, depends_on])


if __name__ == "__main__":
    main()
