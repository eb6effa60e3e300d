//! The counts per flow and per node since the last reset.

use hdrhistogram::Histogram;

use super::times::Times;
use crate::spec::Clock;

/// Quantiles of a distribution that results tell.
pub const QUANTILES: [f64; 3] = [0.5, 0.95, 0.99];

/// Counts of one flow: of its packets, requests and responses together, unless said otherwise.
#[derive(Debug, Default, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct FlowCounters {
    /// Requests generated.
    pub generated_packets: u64,
    /// Requests that found the transmit queue full.
    pub lost_packets: u64,
    /// First transmissions started.
    pub sent_packets: u64,
    /// Packets accepted the first time that they were sent: requests, and the responses to them, which others send.
    pub first_try_packets: u64,
    /// Retransmissions started.
    pub retries: u64,
    /// Symbols of the retransmissions started.
    pub retry_symbols: u64,
    /// Packets whose service ended.
    pub delivered_packets: u64,
    /// Symbols of the packets whose service ended.
    pub delivered_symbols: u64,
    /// Sum of their latencies, in cycles.
    pub latency_sum_cycles: u64,
    /// Largest latency, in cycles.
    pub latency_max_cycles: u64,
    /// Made with the first delivery: a resting flow holds none.
    distributions: Option<Box<Distributions>>,
    /// Counts that only flows between hosts have; made with the first of them.
    host: Option<Box<HostCounts>>,
}

/// Counts of a flow that bare send packets of one priority do not need.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct HostCounts {
    /// Responses among the packets delivered.
    pub delivered_responses: u64,
    /// Sum of their latencies, in cycles.
    pub response_latency_sum_cycles: u64,
    /// Messages complete: all packets of an arrival, and their responses, served.
    pub completed_messages: u64,
    /// Requests generated again, of messages that their source has found bad.
    pub repeated_packets: u64,
    /// Packets among those delivered, requests and responses, of messages that are found bad: their data come again.
    pub bad_packets: u64,
    /// Symbols of the packets in `bad_packets`.
    pub bad_symbols: u64,
    /// Responses among them.
    pub bad_responses: u64,
    /// Packets given up by their senders after too many time-outs: lost, unless they had arrived and only their echoes
    /// were lost.
    pub given_up_packets: u64,
    /// Requests whose responses had not come when their time was over: sent again, or given up.
    pub timed_out_requests: u64,
    /// Requests in `timed_out_requests` that were given up, since they had been sent again as often as may be.
    pub unanswered_requests: u64,
    /// Responses that came after that time and were dropped: they count as not delivered.
    pub late_responses: u64,
    /// Sum of the times from the arrivals to that, in cycles.
    pub message_latency_sum_cycles: u64,
    /// Shortest of them, in cycles; 0 without one.
    pub message_latency_min_cycles: u64,
    /// Longest of them, in cycles.
    pub message_latency_max_cycles: u64,
    /// Messages complete after their deadline.
    pub missed_deadlines: u64,
    /// Packets sent that had waited at the head of their queue while a packet of lower priority passed.
    pub output_inversions: Inversions,
    /// Packets accepted that had been held up while a packet of lower priority held a place in their input queue.
    pub input_inversions: Inversions,
    /// Messages are more than single packets.
    composite: bool,
}

/// Counts of the messages of a flow that have sizes or times of their own.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct MessageCounters {
    /// Messages released.
    pub released: u64,
    /// Bytes of the messages released.
    pub released_bytes: u64,
    /// Bytes of those that were complete.
    pub completed_bytes: u64,
    /// Messages of which a packet was lost: of a message that finds a full queue, all are.
    pub lost: u64,
    /// Messages that were complete or lost, or whose deadline passed before.
    pub judged: u64,
    /// Messages in `judged` that were not complete by their deadline.
    pub missed: u64,
    /// Messages that are under way, released at any time.
    pub open: u64,
    /// Cycle in which the one of them was due that has been due for longest.
    pub oldest: Option<u64>,
}

impl MessageCounters {
    /// Adds the counts of other messages of the same flow.
    pub(crate) fn add(&mut self, other: &Self) {
        let &Self { released, released_bytes, completed_bytes, lost, judged, missed, open, oldest } = other;
        self.released += released;
        self.released_bytes += released_bytes;
        self.completed_bytes += completed_bytes;
        self.lost += lost;
        self.judged += judged;
        self.missed += missed;
        self.open += open;
        self.oldest = [self.oldest, oldest].into_iter().flatten().min();
    }

    /// Counts a message that is released.
    pub(crate) fn offer(&mut self, bytes: u64) {
        self.released += 1;
        self.released_bytes += bytes;
    }
}

/// Priority inversions (todd2001, Section 2.1).
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Inversions {
    /// Packets that suffered one.
    pub packets: u64,
    /// Cycles for which they did.
    pub cycles: u64,
    /// Cycles of the worst packet.
    pub max_cycles: u64,
}

/// The place where a packet is held up by packets of lower priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Inverted {
    /// Held up at the output of a node or port.
    Output,
    /// Held up at its destination on the ring.
    Input,
}

impl HostCounts {
    fn add(&mut self, other: &Self, times: Times) {
        if self.completed_messages == 0 {
            self.message_latency_min_cycles = other.message_latency_min_cycles;
        } else if other.completed_messages > 0 && matches!(times, Times::More(1..)) {
            self.message_latency_min_cycles = self.message_latency_min_cycles.min(other.message_latency_min_cycles);
        }
        for (sum, other) in [
            (&mut self.delivered_responses, other.delivered_responses),
            (&mut self.response_latency_sum_cycles, other.response_latency_sum_cycles),
            (&mut self.completed_messages, other.completed_messages),
            (&mut self.repeated_packets, other.repeated_packets),
            (&mut self.bad_packets, other.bad_packets),
            (&mut self.bad_symbols, other.bad_symbols),
            (&mut self.bad_responses, other.bad_responses),
            (&mut self.given_up_packets, other.given_up_packets),
            (&mut self.timed_out_requests, other.timed_out_requests),
            (&mut self.unanswered_requests, other.unanswered_requests),
            (&mut self.late_responses, other.late_responses),
            (&mut self.message_latency_sum_cycles, other.message_latency_sum_cycles),
            (&mut self.missed_deadlines, other.missed_deadlines),
        ] {
            times.sum(sum, other);
        }
        times.max(&mut self.message_latency_max_cycles, other.message_latency_max_cycles);
        times.inversions(&mut self.output_inversions, other.output_inversions);
        times.inversions(&mut self.input_inversions, other.input_inversions);
        self.composite |= other.composite;
    }
}

impl Inversions {
    /// Returns the inversions of a ring with this clock, in cycles of the network.
    pub(crate) fn in_cycles(self, clock: Clock) -> Self {
        Self { cycles: clock.cycles(self.cycles), max_cycles: clock.cycles(self.max_cycles), ..self }
    }

    pub(crate) fn add(&mut self, cycles: u64) {
        self.packets += 1;
        self.cycles += cycles;
        self.max_cycles = self.max_cycles.max(cycles);
    }
}

impl FlowCounters {
    /// Counts a delivery. `digits` is the histogram's precision.
    #[inline]
    pub(crate) fn deliver(&mut self, symbols: u64, latency_cycles: u64, digits: u8) {
        self.delivered_packets += 1;
        self.delivered_symbols += symbols;
        self.latency_sum_cycles += latency_cycles;
        self.latency_max_cycles = self.latency_max_cycles.max(latency_cycles);
        let recorded = self.delivered_packets - 1;
        let distributions = self.distributions.get_or_insert_default();
        // Kept apart: a histogram knows no more of its least value than the interval that holds it.
        distributions.least_cycles =
            if recorded == 0 { latency_cycles } else { distributions.least_cycles.min(latency_cycles) };
        distributions.packets.record(recorded, latency_cycles, digits);
    }

    /// The least latency of a packet, 0 without any.
    pub fn latency_min_cycles(&self) -> u64 {
        self.distributions.as_ref().map_or(0, |held| held.least_cycles)
    }

    /// Counts a response, just delivered.
    pub(crate) fn deliver_response(&mut self, latency_cycles: u64) {
        let host = self.host.get_or_insert_default();
        host.delivered_responses += 1;
        host.response_latency_sum_cycles += latency_cycles;
    }

    /// A packet has been delivered that is not all of its message.
    pub(crate) fn deliver_part(&mut self) {
        self.host.get_or_insert_default().composite = true;
    }

    /// Counts a message that is generated again.
    #[inline(never)]
    pub(crate) fn repeat(&mut self, packets: u32) {
        self.host.get_or_insert_default().repeated_packets += u64::from(packets);
    }

    /// Counts a packet, just delivered, of a message that is found bad.
    #[inline(never)]
    pub(crate) fn deliver_bad(&mut self, symbols: u64, response: bool) {
        let host = self.host.get_or_insert_default();
        host.bad_packets += 1;
        host.bad_symbols += symbols;
        host.bad_responses += u64::from(response);
    }

    /// Counts a message that is complete. `is_packet`: it is a single packet, just delivered, whose latency is counted.
    #[inline]
    pub(crate) fn complete(&mut self, latency_cycles: u64, deadline_cycles: u64, is_packet: bool, digits: u8) {
        if latency_cycles > deadline_cycles {
            self.host.get_or_insert_default().missed_deadlines += 1;
        }
        if is_packet {
            return;
        }
        let host = self.host.get_or_insert_default();
        host.composite = true;
        if host.completed_messages == 0 {
            host.message_latency_min_cycles = latency_cycles;
        }
        host.completed_messages += 1;
        host.message_latency_sum_cycles += latency_cycles;
        host.message_latency_min_cycles = host.message_latency_min_cycles.min(latency_cycles);
        host.message_latency_max_cycles = host.message_latency_max_cycles.max(latency_cycles);
        let distributions = self.distributions.get_or_insert_default();
        distributions.messages.get_or_insert_default().record(host.completed_messages - 1, latency_cycles, digits);
    }

    /// Counts a request whose response has not come in time, and which may be given up.
    pub(crate) fn time_out(&mut self, is_given_up: bool) {
        let host = self.host.get_or_insert_default();
        host.timed_out_requests += 1;
        host.unanswered_requests += u64::from(is_given_up);
    }

    /// Counts a response that comes too late.
    pub(crate) fn drop_late(&mut self) {
        self.host.get_or_insert_default().late_responses += 1;
    }

    /// Counts a packet that its sender gave up.
    pub(crate) fn give_up(&mut self) {
        self.host.get_or_insert_default().given_up_packets += 1;
    }

    /// Counts a packet that was held up by packets of lower priority.
    pub(crate) fn invert(&mut self, at: Inverted, cycles: u64) {
        let host = self.host.get_or_insert_default();
        match at {
            Inverted::Output => host.output_inversions.add(cycles),
            Inverted::Input => host.input_inversions.add(cycles),
        }
    }

    /// The counts of flows between hosts. Where every message is a packet they are the packets'.
    pub fn host(&self) -> HostCounts {
        let mut host = self.host.as_deref().copied().unwrap_or_default();
        if !host.composite {
            host.completed_messages = self.delivered_packets;
            host.message_latency_sum_cycles = self.latency_sum_cycles;
            host.message_latency_min_cycles = self.latency_min_cycles();
            host.message_latency_max_cycles = self.latency_max_cycles;
        }
        host
    }

    /// Is every message so far a single packet? The messages' latencies are the packets' then.
    pub fn messages_are_packets(&self) -> bool {
        self.host.as_ref().is_none_or(|host| !host.composite)
    }

    /// Counts a packet that was accepted after it had been sent again so often; packets accepted the first time that
    /// they were sent are counted apart.
    #[inline(never)]
    pub(crate) fn accept_again(&mut self, retries: u32) {
        let distributions = self.distributions.get_or_insert_default();
        let histogram = distributions.retries.get_or_insert_with(|| Box::new(new_histogram(RETRY_DIGITS)));
        histogram.record(retries.into()).expect(GROWS);
    }

    /// Adds the retries of packets that were accepted after some to a histogram of the same precision.
    pub(crate) fn add_retries(&self, sum: &mut Histogram<u32>) {
        let held = self.distributions.iter().filter_map(|held| held.retries.as_ref());
        held.for_each(|retries| sum.add(&**retries).expect(GROWS));
    }

    /// Adds the packets' latencies to a histogram of the same precision.
    pub(crate) fn add_latencies(&self, sum: &mut Histogram<u32>) {
        self.distributions.iter().for_each(|held| held.packets.add_to(self.delivered_packets, sum));
    }

    /// Adds the messages' latencies to it.
    pub(crate) fn add_message_latencies(&self, sum: &mut Histogram<u32>) {
        match &self.host {
            Some(host) if host.composite => {
                let messages = self.distributions.iter().filter_map(|held| held.messages.as_ref());
                messages.for_each(|held| held.add_to(host.completed_messages, sum));
            }
            _ => self.add_latencies(sum),
        }
    }

    /// Takes the counts of what has been generated and sent.
    pub(crate) fn take_sent(&mut self) -> Self {
        Self {
            generated_packets: std::mem::take(&mut self.generated_packets),
            sent_packets: std::mem::take(&mut self.sent_packets),
            first_try_packets: std::mem::take(&mut self.first_try_packets),
            retries: std::mem::take(&mut self.retries),
            retry_symbols: std::mem::take(&mut self.retry_symbols),
            ..Self::default()
        }
    }

    /// Adds counts of what has been sent, and of what has been generated, if `generates`.
    pub(crate) fn add_sent(&mut self, sent: &Self, generates: bool) {
        self.generated_packets += if generates { sent.generated_packets } else { 0 };
        self.sent_packets += sent.sent_packets;
        self.first_try_packets += sent.first_try_packets;
        self.retries += sent.retries;
        self.retry_symbols += sent.retry_symbols;
    }

    /// A copy for reading and adding up: all latencies are in the histograms.
    pub(crate) fn gathered(&self, digits: u8) -> Self {
        let mut copy = self.clone();
        let messages = self.host.as_ref().map_or(0, |host| host.completed_messages);
        if let Some(held) = &mut copy.distributions {
            held.packets.gather(self.delivered_packets, digits);
            held.messages.iter_mut().for_each(|held| held.gather(messages, digits));
        }
        copy
    }

    /// Adds so many times what the same flow has counted at another time. Both are gathered.
    pub(crate) fn add(&mut self, other: &Self, times: Times) {
        for (sum, other) in [
            (&mut self.generated_packets, other.generated_packets),
            (&mut self.lost_packets, other.lost_packets),
            (&mut self.sent_packets, other.sent_packets),
            (&mut self.first_try_packets, other.first_try_packets),
            (&mut self.retries, other.retries),
            (&mut self.retry_symbols, other.retry_symbols),
            (&mut self.delivered_packets, other.delivered_packets),
            (&mut self.delivered_symbols, other.delivered_symbols),
            (&mut self.latency_sum_cycles, other.latency_sum_cycles),
        ] {
            times.sum(sum, other);
        }
        times.max(&mut self.latency_max_cycles, other.latency_max_cycles);
        if let Some(others) = &other.distributions {
            match &mut self.distributions {
                Some(held) => held.add(others, times),
                none => {
                    // The least of all, but no distribution: those are added below, as often as they count.
                    let mut held = others.clone();
                    held.packets.earlier = None;
                    held.messages.iter_mut().for_each(|held| held.earlier = None);
                    held.retries = None;
                    held.add(others, times);
                    *none = Some(held);
                }
            }
        }
        if let Some(others) = &other.host {
            self.host.get_or_insert_default().add(others, times);
        }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let distributions = self.distributions.as_ref().map_or(0, |held| held.bytes());
        distributions + self.host.as_ref().map_or(0, |_| size_of::<HostCounts>())
    }
}

/// Latencies of the packets of a flow, and of its messages, where they are more than packets.
#[derive(Debug, Default, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
struct Distributions {
    packets: Latencies,
    /// The least of the packets.
    least_cycles: u64,
    messages: Option<Box<Latencies>>,
    /// Retries of the packets accepted after some.
    #[serde(with = "super::saved::held")]
    retries: Option<Box<Histogram<u32>>>,
}

impl Distributions {
    fn add(&mut self, other: &Self, times: Times) {
        // Like a maximum (`Times::max`), the least stays when counts are taken away; and no copy brings none.
        if let Times::More(1..) = times {
            self.least_cycles = self.least_cycles.min(other.least_cycles);
        }
        self.packets.add(&other.packets, times);
        if let Some(others) = &other.messages {
            self.messages.get_or_insert_default().add(others, times);
        }
        add_held(&mut self.retries, &other.retries, times);
    }

    fn bytes(&self) -> usize {
        let messages = self.messages.as_ref().map_or(0, |held| size_of::<Latencies>() + held.heap_bytes());
        let retries = self.retries.as_deref().map_or(0, histogram_bytes);
        size_of::<Self>() + self.packets.heap_bytes() + messages + retries
    }
}

/// A distribution of latencies. The last ones are kept as they are: a flow with few deliveries holds no histogram, and
/// in a large network, where none is in the cache, each is read seldom. How many there are is counted elsewhere.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Latencies {
    #[serde(with = "serde_big_array::BigArray")]
    last: [u64; LAST_LATENCIES],
    #[serde(with = "super::saved::held")]
    earlier: Option<Box<Histogram<u32>>>,
}

/// Number of latencies that are kept one by one.
const LAST_LATENCIES: usize = 64;

impl Default for Latencies {
    fn default() -> Self {
        Self { last: [0; LAST_LATENCIES], earlier: None }
    }
}

impl Latencies {
    #[inline]
    pub(super) fn record(&mut self, recorded: u64, cycles: u64, digits: u8) {
        let place = recorded as usize % LAST_LATENCIES;
        if place == 0 && recorded > 0 {
            self.make_room(digits);
        }
        self.last[place] = cycles;
    }

    #[inline(never)]
    fn make_room(&mut self, digits: u8) {
        let earlier = self.earlier.get_or_insert_with(|| Box::new(new_histogram(digits)));
        self.last.iter().for_each(|&cycles| earlier.record(cycles).expect(GROWS));
    }

    /// Puts all of them, so many, into the histogram.
    fn gather(&mut self, recorded: u64, digits: u8) {
        let mut all = new_histogram(digits);
        self.add_to(recorded, &mut all);
        *self = Self { earlier: Some(Box::new(all)), ..Self::default() };
    }

    /// Adds gathered ones to gathered ones.
    fn add(&mut self, other: &Self, times: Times) {
        add_held(&mut self.earlier, &other.earlier, times);
    }

    pub(super) fn add_to(&self, recorded: u64, sum: &mut Histogram<u32>) {
        match &self.earlier {
            // Copying takes a tenth of the time of adding.
            Some(earlier) if sum.is_empty() => sum.clone_from(earlier),
            Some(earlier) => sum.add(&**earlier).expect(GROWS),
            None => {}
        }
        let later = recorded.saturating_sub(self.earlier.as_ref().map_or(0, |earlier| earlier.len()));
        // A gathered one has none, even where a count in the histogram has reached its limit.
        let later = if later > LAST_LATENCIES as u64 { 0 } else { later as usize };
        self.last[..later].iter().for_each(|&cycles| sum.record(cycles).expect(GROWS));
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.earlier.as_deref().map_or(0, histogram_bytes)
    }
}

/// Adds so many times a histogram to one that may not be there yet.
fn add_held(sum: &mut Option<Box<Histogram<u32>>>, other: &Option<Box<Histogram<u32>>>, times: Times) {
    if let Some(other) = other {
        times.histogram(sum.get_or_insert_with(|| Box::new(new_histogram(other.sigfig()))), other);
    }
}

fn histogram_bytes(held: &Histogram<u32>) -> usize {
    size_of_val(held) + held.distinct_values() * size_of::<u32>()
}

/// The precision of retries: exact up to 31, and beyond to one part in 16.
pub(crate) const RETRY_DIGITS: u8 = 1;

/// The reason why a histogram refuses nothing.
const GROWS: &str = "a growing histogram takes any value";

/// An empty histogram that grows with what it records.
pub(crate) fn new_histogram(digits: u8) -> Histogram<u32> {
    let mut histogram = Histogram::new(digits).expect("the spec allows 1 to 4 digits");
    histogram.auto(true);
    histogram
}

/// Counts of one node.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeCounters {
    /// Symbols of first transmissions on the node's output link, of any source.
    pub link_send_symbols: u64,
    /// Symbols of retransmissions.
    pub link_retry_symbols: u64,
    /// Symbols of echoes.
    pub link_echo_symbols: u64,
    /// Symbols of the protocol's messages.
    pub link_control_symbols: u64,
    /// Idles.
    pub link_idle_symbols: u64,
    /// Integral of the transmit queue's length, responses included, over cycles.
    pub transmit_queue_packet_cycles: u64,
    /// Longest transmit queue.
    pub transmit_queue_max: u64,
    /// Integral of the receive queues' length (being received, waiting, in service) over cycles.
    pub receive_queue_packet_cycles: u64,
    /// Most packets in both receive queues.
    pub receive_queue_max: u64,
    /// Largest bypass FIFO fill, in symbols with separators; at a decision, where the protocol follows the queues.
    pub bypass_max_symbols: u64,
    /// Most symbols of packets that waited for the slow link behind the node, of which none had left; 0 without one.
    pub slow_link_max_symbols: u64,
    /// Busy echoes made.
    pub refused_packets: u64,
    /// Counts of the flow-control protocol, by the names that it gives.
    pub protocol: Vec<(&'static str, u64)>,
}

impl NodeCounters {
    /// Returns the counts of a ring with this clock: integrals over cycles of the network. Symbols stay those of the
    /// ring.
    pub(crate) fn in_cycles(self, clock: Clock) -> Self {
        Self {
            transmit_queue_packet_cycles: clock.cycles(self.transmit_queue_packet_cycles),
            receive_queue_packet_cycles: clock.cycles(self.receive_queue_packet_cycles),
            ..self
        }
    }

    /// The count of the flow-control protocol under this name; 0 if it has none.
    pub fn of_protocol(&self, name: &str) -> u64 {
        self.protocol.iter().find(|count| count.0 == name).map_or(0, |count| count.1)
    }
}

/// Counts of one link controller of a switch's port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortCounters {
    /// Number of the switch.
    pub switch: u32,
    /// Number of the port at its switch.
    pub port: u16,
    /// Number of the port's B-Link at the switch.
    pub link: u16,
    /// Number of the port's ring.
    pub ring: u32,
    /// Place among the ring's interfaces, the link controllers of cascades counted one by one.
    pub place: u16,
    /// Counts of the link controller as an interface of its ring.
    pub interface: NodeCounters,
    /// Errors there.
    pub errors: ErrorCounters,
    /// First transmissions from its transmit slots.
    pub sent_packets: u64,
    /// Retransmissions.
    pub retries: u64,
    /// Packets that it took from its ring.
    pub accepted_packets: u64,
    /// Packets from its slots that had waited at their head while a packet of lower priority passed.
    pub output_inversions: Inversions,
    /// Packets that it took from its ring after they had been refused because packets of lower priority held a buffer.
    pub input_inversions: Inversions,
}

/// Errors at one interface, where links have any.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ErrorCounters {
    /// Send packets lost on the link to the interface.
    pub lost_sends: u64,
    /// Echoes lost there.
    pub lost_echoes: u64,
    /// Time-outs of packets that the interface has sent.
    pub timeouts: u64,
    /// Time-outs after which the interface gave the packet up.
    pub given_up_packets: u64,
    /// Packets given up that no interface has received: they are lost.
    pub undelivered_packets: u64,
    /// Symbols of those.
    pub undelivered_symbols: u64,
    /// Cycle of the first time-out since the last reset; 0 without one.
    pub first_timeout_cycle: u64,
    /// Cycle in which it first gave a packet up since the last reset; 0 without one.
    pub first_given_up_cycle: u64,
    /// Cycle of the first loss because the link to the interface has failed, resets or not; 0 without one.
    pub first_failure_cycle: u64,
}

impl ErrorCounters {
    /// A packet is given up in cycle `now`. `undelivered`: its symbols, if no interface has received it.
    pub(crate) fn give_up(&mut self, undelivered: Option<u16>, now: u64) {
        // Where packets are gone without echoes, the interfaces at which that is seen count for their senders.
        if self.given_up_packets == 0 || now < self.first_given_up_cycle {
            self.first_given_up_cycle = now;
        }
        self.given_up_packets += 1;
        if let Some(symbols) = undelivered {
            self.undelivered_packets += 1;
            self.undelivered_symbols += u64::from(symbols);
        }
    }

    /// Returns the counts of a ring with this clock, in cycles of the network.
    pub(crate) fn in_cycles(self, clock: Clock) -> Self {
        Self {
            first_timeout_cycle: clock.cycles(self.first_timeout_cycle),
            first_given_up_cycle: clock.cycles(self.first_given_up_cycle),
            first_failure_cycle: clock.cycles(self.first_failure_cycle),
            ..self
        }
    }
}

/// Counts of one B-Link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkCounters {
    /// Number of the switch.
    pub switch: u32,
    /// Number of the B-Link at its switch.
    pub link: u16,
    /// Packets granted.
    pub packets: u64,
    /// Picoseconds for which it was held.
    pub busy_ps: u64,
    /// Packets granted that had been ready while it carried one of lower priority.
    pub inverted_packets: u64,
    /// Picoseconds for which they were.
    pub inverted_ps: u64,
}

/// Integral over time of the number of things inside, from their entries and exits alone.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Population {
    inside: u32,
    /// Sum of exit cycles minus sum of entry cycles, of all things ever seen, less the integral up to the last reset
    /// (wrapping).
    balance: u64,
    max: u32,
    /// Log of entries and exits, for an observer only and hence kept outside.
    #[serde(skip)]
    log: Option<Box<Log>>,
}

/// Cycle and entries (less exits) since the observer read them last.
#[derive(Debug, Clone, Default)]
struct Log(Vec<(u64, i64)>);

impl Population {
    /// Keeps a log from now on, or no more.
    pub(crate) fn follow(&mut self, followed: bool, now: u64) {
        self.log = followed.then(|| Box::new(Log(vec![(now, self.inside.into())])));
    }

    #[cold]
    fn note(&mut self, at: u64, joins: i64) {
        self.log.get_or_insert_default().0.push((at, joins));
    }

    /// Takes what has happened since the last call.
    pub(crate) fn drain_log(&mut self) -> impl Iterator<Item = (u64, i64)> {
        self.log.iter_mut().flat_map(|log| log.0.drain(..))
    }

    #[inline]
    pub(crate) fn enter(&mut self, at: u64) {
        if self.log.is_some() {
            self.note(at, 1);
        }
        self.inside += 1;
        self.balance = self.balance.wrapping_sub(at);
        self.max = self.max.max(self.inside);
    }

    /// Counts so many that enter in one cycle.
    pub(crate) fn enter_together(&mut self, at: u64, count: u32) {
        if self.log.is_some() {
            self.note(at, count.into());
        }
        self.inside += count;
        self.balance = self.balance.wrapping_sub(at.wrapping_mul(count.into()));
        self.max = self.max.max(self.inside);
    }

    #[inline]
    pub(crate) fn leave(&mut self, at: u64) {
        if self.log.is_some() {
            self.note(at, -1);
        }
        self.inside -= 1;
        self.balance = self.balance.wrapping_add(at);
    }

    #[inline]
    pub(crate) fn inside(&self) -> u64 {
        self.inside.into()
    }

    pub(crate) fn max(&self) -> u64 {
        self.max.into()
    }

    /// Integral from the last reset to `now`; nothing may have entered or left later than that.
    pub(crate) fn integral(&self, now: u64) -> u64 {
        // Sums of cycles may wrap; modulo 2^64 the integral is exact all the same.
        self.balance.wrapping_add(self.inside().wrapping_mul(now))
    }

    pub(crate) fn reset(&mut self, now: u64) {
        self.balance = self.balance.wrapping_sub(self.integral(now));
        self.max = self.inside;
    }
}
