//! Counts of nodes, flows and messages.

use ringlet_engine::measure::{FlowCounters, MessageCounters, NodeCounters};

use super::{RingletSimulation, RingletStatus, bad, on, place, write_rows};

/// Counts of a node since the start.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct RingletNodeCounters {
    /// Symbols of first transmissions on the link behind it, of any source.
    pub link_send_symbols: u64,
    /// Symbols of retransmissions.
    pub link_retry_symbols: u64,
    /// Symbols of echoes.
    pub link_echo_symbols: u64,
    /// Symbols of control symbols, trains and events.
    pub link_control_symbols: u64,
    /// Idles.
    pub link_idle_symbols: u64,
    /// Longest transmit queue, in packets.
    pub transmit_queue_max: u64,
    /// Most packets in both receive queues.
    pub receive_queue_max: u64,
    /// Largest fill of the bypass FIFO, in symbols.
    pub bypass_max_symbols: u64,
    /// Busy echoes made.
    pub refused_packets: u64,
}

/// Counts of a flow of the spec since the start. Latencies are in cycles, from when a packet was generated, or a
/// message due, until its service ended.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct RingletFlowCounters {
    /// Requests generated.
    pub generated_packets: u64,
    /// Requests that found the transmit queue full.
    pub lost_packets: u64,
    /// Packets that were given up, or found no place where nobody says so.
    pub given_up_packets: u64,
    /// First transmissions.
    pub sent_packets: u64,
    /// Packets accepted at the first transmission.
    pub first_try_packets: u64,
    /// Retransmissions.
    pub retries: u64,
    /// Packets delivered, requests and responses.
    pub delivered_packets: u64,
    /// Symbols of these.
    pub delivered_symbols: u64,
    /// Sum of the latencies of packets.
    pub latency_sum_cycles: u64,
    /// Shortest latency of a packet; 0 without one.
    pub latency_min_cycles: u64,
    /// Longest latency of a packet; 0 without one.
    pub latency_max_cycles: u64,
    /// Messages of which all packets, and responses, were delivered.
    pub completed_messages: u64,
    /// Sum of the latencies of these.
    pub message_latency_sum_cycles: u64,
    /// Shortest latency of a message; 0 without one.
    pub message_latency_min_cycles: u64,
    /// Longest latency of a message; 0 without one.
    pub message_latency_max_cycles: u64,
    /// Messages complete after their deadline.
    pub missed_deadlines: u64,
}

/// Counts of the messages of a flow, or of those to one of its destinations, since the start.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct RingletMessageCounters {
    /// Number of the flow in the spec.
    pub flow: u32,
    /// Node that the messages are for; `RINGLET_ALL_DESTINATIONS`: all messages of the flow.
    pub destination: u32,
    /// Messages released.
    pub released: u64,
    /// Bytes of these.
    pub released_bytes: u64,
    /// Messages complete.
    pub completed: u64,
    /// Bytes of these.
    pub completed_bytes: u64,
    /// Messages that found a full queue, or of which a packet was lost.
    pub lost: u64,
    /// Messages under way, released at any time.
    pub open: u64,
    /// Messages complete or lost, or past their deadlines.
    pub judged: u64,
    /// Messages in `judged` that were not complete by their deadline.
    pub missed: u64,
    /// Sum of the latencies of messages complete, in cycles, from when they were due.
    pub latency_sum_cycles: u64,
    /// Shortest of these; 0 without one.
    pub latency_min_cycles: u64,
    /// Longest of these; 0 without one.
    pub latency_max_cycles: u64,
}

/// Number in place of a destination: all messages of a flow.
pub const RINGLET_ALL_DESTINATIONS: u32 = u32::MAX;

impl RingletMessageCounters {
    /// Messages of a flow to a destination. `completed`: those complete, and the sum and the extremes of their
    /// latencies.
    fn new((flow, destination): (u32, u32), counted: &MessageCounters, completed: [u64; 4]) -> Self {
        let &MessageCounters { released, released_bytes, completed_bytes, lost, judged, missed, open, .. } = counted;
        let [completed, latency_sum_cycles, latency_min_cycles, latency_max_cycles] = completed;
        Self {
            flow,
            destination,
            released,
            released_bytes,
            completed,
            completed_bytes,
            lost,
            open,
            judged,
            missed,
            latency_sum_cycles,
            latency_min_cycles,
            latency_max_cycles,
        }
    }
}

/// Writes the counts of the first `capacity` nodes to `counters`, and how many there are to `count`.
///
/// # Safety
/// `simulation` comes from this library and has not been freed; `counters` has room for `capacity` of them; `count` may
/// be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringlet_node_counters(
    simulation: *mut RingletSimulation,
    counters: *mut RingletNodeCounters,
    capacity: usize,
    count: *mut usize,
) -> RingletStatus {
    // SAFETY: as the caller promises.
    unsafe {
        on(simulation, |simulation| {
            let found = simulation.stepping.simulation().node_counters();
            let row = |counted: &NodeCounters| RingletNodeCounters {
                link_send_symbols: counted.link_send_symbols,
                link_retry_symbols: counted.link_retry_symbols,
                link_echo_symbols: counted.link_echo_symbols,
                link_control_symbols: counted.link_control_symbols,
                link_idle_symbols: counted.link_idle_symbols,
                transmit_queue_max: counted.transmit_queue_max,
                receive_queue_max: counted.receive_queue_max,
                bypass_max_symbols: counted.bypass_max_symbols,
                refused_packets: counted.refused_packets,
            };
            write_rows(found.iter().map(row), (counters, capacity), count)
        })
    }
}

/// Writes the counts of the first `capacity` flows of the spec to `counters`, in its order, and how many there are to
/// `count`.
///
/// # Safety
/// `simulation` comes from this library and has not been freed; `counters` has room for `capacity` of them; `count` may
/// be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringlet_flow_counters(
    simulation: *mut RingletSimulation,
    counters: *mut RingletFlowCounters,
    capacity: usize,
    count: *mut usize,
) -> RingletStatus {
    // SAFETY: as the caller promises.
    unsafe {
        on(simulation, |simulation| {
            let found = simulation.stepping.simulation().flow_counters();
            let row = |counted: &&FlowCounters| {
                let host = counted.host();
                RingletFlowCounters {
                    generated_packets: counted.generated_packets,
                    lost_packets: counted.lost_packets,
                    given_up_packets: host.given_up_packets,
                    sent_packets: counted.sent_packets,
                    first_try_packets: counted.first_try_packets,
                    retries: counted.retries,
                    delivered_packets: counted.delivered_packets,
                    delivered_symbols: counted.delivered_symbols,
                    latency_sum_cycles: counted.latency_sum_cycles,
                    latency_min_cycles: counted.latency_min_cycles(),
                    latency_max_cycles: counted.latency_max_cycles,
                    completed_messages: host.completed_messages,
                    message_latency_sum_cycles: host.message_latency_sum_cycles,
                    message_latency_min_cycles: host.message_latency_min_cycles,
                    message_latency_max_cycles: host.message_latency_max_cycles,
                    missed_deadlines: host.missed_deadlines,
                }
            };
            write_rows(found.iter().map(row), (counters, capacity), count)
        })
    }
}

/// Writes the counts of the messages of the first `capacity` flows of the spec to `counters`, in its order, and how
/// many flows there are to `count`. What is released, lost or under way is 0 of a flow whose packets are its messages.
///
/// # Safety
/// `simulation` comes from this library and has not been freed; `counters` has room for `capacity` of them; `count` may
/// be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringlet_message_counters(
    simulation: *mut RingletSimulation,
    counters: *mut RingletMessageCounters,
    capacity: usize,
    count: *mut usize,
) -> RingletStatus {
    // SAFETY: as the caller promises.
    unsafe {
        on(simulation, |simulation| {
            let simulation = simulation.stepping.simulation();
            let found = simulation.flow_counters().into_iter().zip(simulation.message_counters());
            let rows: Vec<_> = (0..)
                .zip(found)
                .map(|(flow, (counted, messages))| {
                    let host = counted.host();
                    let completed = [
                        host.completed_messages,
                        host.message_latency_sum_cycles,
                        host.message_latency_min_cycles,
                        host.message_latency_max_cycles,
                    ];
                    RingletMessageCounters::new(
                        (flow, RINGLET_ALL_DESTINATIONS),
                        &messages.unwrap_or_default(),
                        completed,
                    )
                })
                .collect();
            write_rows(rows.into_iter(), (counters, capacity), count)
        })
    }
}

/// Writes the counts of the messages of flows to each of their destinations, where a flow has several, to `counters`,
/// in the order of flows and nodes: the first `capacity` of those that there were any to; and how many there are to
/// `count`.
///
/// # Safety
/// `simulation` comes from this library and has not been freed; `counters` has room for `capacity` of them; `count` may
/// be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringlet_destination_counters(
    simulation: *mut RingletSimulation,
    counters: *mut RingletMessageCounters,
    capacity: usize,
    count: *mut usize,
) -> RingletStatus {
    // SAFETY: as the caller promises.
    unsafe {
        on(simulation, |simulation| {
            let simulation = simulation.stepping.simulation();
            let flows = 0..simulation.flow_counters().len();
            let rows: Vec<_> = flows
                .flat_map(|flow| simulation.destination_counters(flow).into_iter().map(move |to| (flow as u32, to)))
                .map(|(flow, to)| {
                    let completed =
                        [to.completed_messages, to.latency_sum_cycles, to.latency_min_cycles, to.latency_max_cycles];
                    RingletMessageCounters::new((flow, to.destination), &to.messages, completed)
                })
                .collect();
            write_rows(rows.into_iter(), (counters, capacity), count)
        })
    }
}

/// Writes the latency to `cycles` that so large a share of a flow's messages does not exceed, `quantile` from 0 to 1:
/// of all of them, or of those to one of its destinations. UINT64_MAX: none was complete.
///
/// # Safety
/// `simulation` comes from this library and has not been freed; `cycles` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringlet_message_latency(
    simulation: *mut RingletSimulation,
    flow: u32,
    destination: u32,
    quantile: f64,
    cycles: *mut u64,
) -> RingletStatus {
    // SAFETY: as the caller promises.
    unsafe {
        on(simulation, |simulation| {
            let place = place(cycles, "cycles")?;
            let simulation = simulation.stepping.simulation();
            let flows = simulation.flow_counters().len();
            if flow as usize >= flows {
                return Err(bad(format!("flow: {flow} is not allowed; below {flows}")));
            }
            if !(0.0..=1.0).contains(&quantile) {
                return Err(bad(format!("quantile: {quantile} is not allowed; 0 to 1")));
            }
            let mut latencies =
                simulation.message_latencies((destination == RINGLET_ALL_DESTINATIONS).then_some(flow as usize));
            if destination != RINGLET_ALL_DESTINATIONS {
                let counters = simulation.destination_counters(flow as usize);
                let to = counters.iter().filter(|to| to.destination == destination);
                to.for_each(|to| to.add_latencies(&mut latencies));
            }
            place.write(if latencies.is_empty() { u64::MAX } else { latencies.value_at_quantile(quantile) });
            Ok(())
        })
    }
}
