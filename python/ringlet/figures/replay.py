"""Figures of the replay of a trace."""

from ringlet.document.figure import Figure, OverSeeds

REPLAY = (
    Figure("file", "trace", "File of the trace.", kind="string", over_seeds=OverSeeds.NONE),
    Figure(
        "replay",
        "replay",
        "`dependence-driven`, where packets wait for those on which they depend, or `open-loop`.",
        kind="string",
        over_seeds=OverSeeds.NONE,
    ),
    Figure(
        "packets",
        "packets of the trace",
        "Packets of the trace.",
        unit="packets",
        kind="integer",
        over_seeds=OverSeeds.NONE,
    ),
    Figure(
        "local_packets",
        "local packets",
        "Packets of the trace from a node to itself.",
        unit="packets",
        kind="integer",
        over_seeds=OverSeeds.NONE,
    ),
    Figure(
        "started_packets",
        "started packets",
        "Packets that started.",
        unit="packets",
        kind="integer",
        over_seeds=OverSeeds.NONE,
    ),
    Figure("waiting_packets", "waiting packets", "Packets that did not start.", unit="packets", kind="integer"),
    Figure(
        "dropped_packets",
        "dropped packets",
        "Packets lost, given up or left without a response in the measured time.",
        unit="packets",
        kind="integer",
    ),
    Figure("complete", "complete", "Whether all packets were delivered.", kind="boolean"),
    Figure(
        "trace_s",
        "length of the trace",
        "From the start of the first packet to that of the last, in the trace.",
        unit="s",
        over_seeds=OverSeeds.NONE,
    ),
    Figure(
        "run_time_s",
        "run time",
        "From the first start to the last delivery; missing if the replay is not complete.",
        unit="s",
        may_lack=True,
    ),
    Figure(
        "late_s",
        "delay behind the trace",
        "From the start of the last packet in the trace to the last delivery; missing if the replay is not complete.",
        unit="s",
        may_lack=True,
    ),
)
