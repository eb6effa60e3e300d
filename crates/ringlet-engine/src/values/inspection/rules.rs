//! The fields of the engine's types whose content is looked at.

/// The content of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// The spec decides it.
    Spec,
    /// Indices of packets.
    Packet,
    /// Numbers of flows.
    Flow,
    /// Numbers of flows, or of something else that comes.
    Arrival,
    /// Numbers of flows in the network.
    NetworkFlow,
    /// A list of as many elements as the spec has.
    Length,
    /// The content of a run: an index of a packet, if it is of one.
    Content,
    /// The place on the ring that strips a run, if it is of a packet.
    Target,
    /// Places on the ring, and one that there is not.
    Place,
    /// Nodes of the network.
    End,
    /// Nodes of the network, as flows number them.
    Node,
    /// Priorities, of which hosts have a queue for each.
    Level,
    /// Cycles of a simulation, of which those of a message behind the last one are among them, or never.
    Time,
    /// A time in cycles, of a real number.
    RealTime,
}

/// Fields of the engine's types that hold something to be looked at, by the type's name; of an enum the variant's name
/// is that of a field, and `*` that of the choice.
const RULES: &[(&str, Rule, &[&str])] = &[
    ("Ring", Rule::Spec, &["timing", "echo_symbols", "latency_digits", "in_time", "prioritised", "stall_cycles"]),
    ("Ring", Rule::Spec, &["hop_delays"]),
    ("Ring", Rule::Time, &["cycle", "measured_from", "progress"]),
    ("SlowLink", Rule::Spec, &["node", "cycles", "symbols"]),
    ("SlowLink", Rule::Time, &["cycle", "leaves_from", "since"]),
    ("Held", Rule::Time, &["leaves"]),
    ("Rounds", Rule::Time, &["came", "lengths"]),
    ("Node", Rule::Time, &["cycle", "until"]),
    ("Passing", Rule::Time, &["idle"]),
    ("Entry", Rule::Time, &["arrived", "replaced"]),
    ("Bypass", Rule::Time, &["complete_at"]),
    ("Received", Rule::Time, &["complete", "generated", "started"]),
    ("InputQueue", Rule::Time, &["at"]),
    ("ReceiveQueue", Rule::Time, &["next_event", "next_watched"]),
    ("Packet", Rule::Time, &["generated", "started", "inverted_since"]),
    ("TransmitQueue", Rule::Time, &["taken", "head_since", "next_event"]),
    ("Waiting", Rule::Time, &["generated"]),
    ("Refused", Rule::Time, &["at", "ready"]),
    ("Withdrawn", Rule::Time, &["since"]),
    ("First", Rule::Time, &["generated"]),
    ("Coming", Rule::Time, &["ready"]),
    ("Arrival", Rule::Time, &["ready", "complete"]),
    ("Release", Rule::Time, &["cycle"]),
    ("Loss", Rule::Time, &["timeout_cycle"]),
    ("Begun", Rule::Time, &["timeout_cycle"]),
    ("Messages", Rule::Spec, &["jitter_cycles", "start", "stop", "size", "packet_bytes", "side"]),
    ("Messages", Rule::Time, &["due", "coming"]),
    ("Begun", Rule::Time, &["late"]),
    ("Watch", Rule::Spec, &["deadline_cycles"]),
    ("Destinations", Rule::Spec, &["digits"]),
    ("Watched", Rule::Time, &["due"]),
    ("OnOff", Rule::Spec, &["gap", "on", "off", "shape"]),
    ("OnOff", Rule::RealTime, &["at", "on_left"]),
    ("Handed", Rule::Time, &["cycle"]),
    ("Loop", Rule::Time, &["next", "began"]),
    ("Prompted", Rule::Spec, &["*"]),
    ("Followers", Rule::Spec, &["each"]),
    ("Source", Rule::Time, &["next"]),
    ("Event", Rule::Time, &["trigger"]),
    ("Instance", Rule::Time, &["released", "end"]),
    ("Workload", Rule::Time, &["known", "seen"]),
    ("Hosts", Rule::Spec, &["counted_here", "echoes", "order", "reservation", "counts_refusals"]),
    ("Flow", Rule::Spec, &["priority", "response_symbols", "class", "burst", "deadline_cycles"]),
    ("Source", Rule::Spec, &["node", "nodes", "destinations", "sizes"]),
    ("Arrivals", Rule::Spec, &["*", "log_failure", "mean_gap", "period", "phase", "think_cycles", "drawn"]),
    ("Arrivals", Rule::RealTime, &["at"]),
    ("TransmitQueue", Rule::Spec, &["node", "own", "limits", "top", "follows_arrivals"]),
    ("TransmitQueue", Rule::Arrival, &["arrivals"]),
    ("Node", Rule::Packet, &["taken"]),
    ("Waiting", Rule::Packet, &["packet"]),
    ("Silent", Rule::Packet, &["probe"]),
    ("Silent", Rule::Flow, &["aside"]),
    ("Silent", Rule::End, &["end"]),
    ("Waiting", Rule::Flow, &["flow"]),
    ("Refused", Rule::Packet, &["packet"]),
    ("First", Rule::Packet, &["packet"]),
    ("Coming", Rule::Packet, &["packet"]),
    ("Slot", Rule::Packet, &["packet"]),
    ("BusRequest", Rule::Packet, &["packet"]),
    ("Loss", Rule::Packet, &["packet"]),
    ("Withdrawn", Rule::Packet, &["packet"]),
    ("Ticket", Rule::Packet, &["packet"]),
    ("TrainProtocol", Rule::Packet, &["granted", "reserved"]),
    ("Head", Rule::Packet, &["packet"]),
    ("Ppq", Rule::Packet, &["waiting_for_echo"]),
    ("Ppq", Rule::Spec, &["node", "is_base", "echo_symbols"]),
    ("TrainProtocol", Rule::Spec, &["node"]),
    ("Dfc", Rule::Spec, &["node", "is_base"]),
    ("Metaring", Rule::Spec, &["node"]),
    ("Rpr", Rule::Spec, &["node", "nodes"]),
    ("SlottedRing", Rule::Spec, &["node", "header_symbols", "release"]),
    ("TokenRing", Rule::Spec, &["round_cycles", "is_alone"]),
    ("TimedToken", Rule::Spec, &["target", "share", "thresholds", "token_symbols"]),
    ("SciPriorities", Rule::Spec, &["highest"]),
    ("Reserve", Rule::Spec, &["permille", "allocates"]),
    ("Packets", Rule::Packet, &["free"]),
    ("Run", Rule::Content, &["value"]),
    ("Run", Rule::Target, &["target"]),
    ("Packet", Rule::Flow, &["flow"]),
    ("Packet", Rule::Place, &["source", "destination"]),
    ("Packet", Rule::End, &["end"]),
    ("Begun", Rule::Node, &["destination"]),
    ("Watched", Rule::Node, &["destination"]),
    ("DestinationCounters", Rule::Node, &["destination"]),
    ("Handed", Rule::Node, &["destination"]),
    ("Packet", Rule::Level, &["priority"]),
    ("Received", Rule::End, &["source"]),
    ("Received", Rule::Level, &["priority"]),
    ("Transit", Rule::End, &["end"]),
    ("Transit", Rule::Level, &["priority"]),
    ("Coming", Rule::Level, &["priority"]),
    ("Packet", Rule::NetworkFlow, &["network_flow"]),
    ("Received", Rule::NetworkFlow, &["network_flow"]),
    ("Transit", Rule::NetworkFlow, &["network_flow"]),
    ("RemoteDelivery", Rule::NetworkFlow, &["network_flow"]),
    ("RemoteInversion", Rule::NetworkFlow, &["network_flow"]),
    ("GivenUp", Rule::NetworkFlow, &["network_flow"]),
    ("Levels", Rule::Length, &["fifos"]),
    ("Replay", Rule::Length, &["places"]),
    ("RingContext", Rule::Length, &["held_echoes"]),
    ("Transactions", Rule::Length, &["places"]),
    ("Workload", Rule::Length, &["plans"]),
    ("Events", Rule::Length, &["credits", "free_from"]),
    ("EventCounters", Rule::Length, &["builders"]),
    ("Received", Rule::Flow, &["flow"]),
    ("Handed", Rule::Flow, &["flow"]),
    ("Server", Rule::Spec, &["*", "Host"]),
    ("ReceiveQueue", Rule::Spec, &["least_watched"]),
    (
        "RingContext",
        Rule::Spec,
        &["clock", "joins", "first_flow", "flows", "second_flow", "nodes", "groups", "crosses"],
    ),
    ("Errors", Rule::Spec, &["timeout_cycles", "max_timeouts", "gives_up_destinations", "bypasses"]),
    ("Link", Rule::Spec, &["log_right", "interruptions"]),
    ("Transactions", Rule::Spec, &["timeout_cycles", "max_repeats"]),
    ("Replay", Rule::Spec, &["traced", "clock"]),
    ("Filler", Rule::Spec, &["serial_ps", "latency_ps", "symbol_ps", "groups"]),
    ("Masters", Rule::Spec, &["set_up_ps"]),
    ("TransmitSlots", Rule::Spec, &["choice"]),
    ("BLink", Rule::Spec, &["switch", "link", "design"]),
    ("Member", Rule::Spec, &["ring", "place", "symbol_ps", "seen_at", "number"]),
    ("Plan", Rule::Spec, &["*"]),
    ("FragmentSource", Rule::Spec, &["flow", "node", "skew"]),
    ("Events", Rule::Spec, &["dead_cycles", "most_skew", "builders", "places", "build_cycles", "timeout_cycles"]),
    ("Events", Rule::Spec, &["credit_cycles", "spill", "paralysable"]),
    ("ScatterGather", Rule::Spec, &["spec", "nodes"]),
    ("ScatterGather", Rule::Time, &["begun"]),
    ("ScatterGather", Rule::Length, &["left"]),
    ("ScatterGatherCounters", Rule::Spec, &["packets"]),
    ("ScatterGatherCounters", Rule::Length, &["workers"]),
    ("WorkerCounters", Rule::Spec, &["node"]),
    ("Chain", Rule::Spec, &["jitter_cycles", "deadline_cycles", "end_cycles", "stages", "last_packets"]),
    ("Workload", Rule::Spec, &["flows", "lookahead"]),
    ("Intake", Rule::Spec, &["flows", "nodes", "dependence_driven"]),
    ("Injection", Rule::Spec, &["doors", "lengths", "groups"]),
];

/// The field of a node's protocol that holds its options, whatever the protocol.
const OPTIONS: &str = "options";

/// The rule of a field of a type, if it has one.
pub(super) fn rule(name: &str, field: &str) -> Option<Rule> {
    if field == OPTIONS {
        return Some(Rule::Spec);
    }
    RULES.iter().find(|(of, _, fields)| *of == name && fields.contains(&field)).map(|&(_, rule, _)| rule)
}
