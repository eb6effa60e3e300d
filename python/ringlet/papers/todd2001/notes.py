"""Our best explanation of rows that do not agree: shown beside a row only where it does not."""

from ringlet.papers.agreement import Explanations

EXPLANATIONS: Explanations = (
    (
        r"f(8|9)\.latency\.(sci|dfc)",
        "On an idle ring request and response take 1 + 9 + 4 and 1 + 41 + 4 cycles, a cycle in the destination's "
        "node, and "
        "50 for each service: 81 cycles, 0.162 us, on average, whatever the host",
    ),
    (
        r"f8a\.ppq",
        "With one priority PPQ is base SCI, as Section 4.1 says of its flow control; the paper's has 24 MB/s less than "
        "its base SCI",
    ),
    (
        r"f9\.latency\.ppq",
        "On an idle ring priorities change nothing: PPQ takes as long as base SCI with one priority. The paper does "
        "not say which load is low, but where PPQ has 0.19 us DFC has 0.18 and TRAIN 0.43, "
        "more than the 0.17 and 0.36 published. A bypass queue that stores a packet before it forwards it would "
        "explain the figure",
    ),
    (
        r"f(8|9)b\.plateau",
        "Where input queues limit, the host decides: how many responses may wait, how many reads may be under way, and "
        "whether requests or responses go first. The paper gives none of them. Single protocols reach 290 with a host "
        "of their own; no host that we tried brings all there",
    ),
    (
        r"f(8b|9a)\.ppq",
        "PPQ with one priority is SCI, as Section 4.1 says of its flow control, and with three its throughput stays "
        "where it is. It falls with the load where packets are sent over busy echoes alone, by the ping-pong of the "
        "same section ('can prevent other nodes on the ring from being able to transmit'); then nodes of base SCI "
        "starve beside it",
    ),
    (
        r"f9a\.dfc",
        "With several priorities a node's STOP-THRU announcement follows the priority of its head; the control "
        "symbols and "
        "the waiting that they cause cost what is missing",
    ),
    (
        r"f9a\.train",
        "Base throughput depends on framing, a scale factor that the paper does not give",
    ),
    (
        r"f10\.rolloff",
        "A higher priority stops before a lower one, or none stops at all, in the protocol that the detail shows",
    ),
    (
        r"f11\.ppqtrain\.range",
        "At a full input queue TRAIN gets one response in each pair of a request and a grant train. The two published "
        "figures contradict each other: 51 % of the service limit are 311 MB/s, below the 330 MB/s of the range",
    ),
    (
        r"f11\.ppq\.share",
        "The hot node's own responses compete with requests that are refused and sent again at once; how often "
        "depends on "
        "the order of the classes and on the number of responses that may wait",
    ),
    (
        r"f11\.dfc\.(share|range)",
        "STOP-TO keeps the hot node's server busy all the time. With two responses not yet accepted, instead of five, "
        "the "
        "hot node's output limits, and DFC gets what is published",
    ),
    (
        r"f11\.dfc\.loss",
        "DFC loses less than published because at 100 % the hot node's server is never idle (share of the service "
        "limit)",
    ),
    (
        r"f11\.other\.loss",
        "TRAIN has 440 MB/s at 50 % hot requests, where its 51 % of the service limit and the published loss make 471; "
        "PPQ's peak at 100 % is all that is offered at 50 MB/s of each node",
    ),
)
