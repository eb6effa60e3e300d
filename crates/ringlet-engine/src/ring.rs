//! A ring: nodes swept one after the other, each as far as its input is known.
//!
//! A node's output in cycle `t` is the next node's input in cycle `t + D`, so in one sweep every node advances `N D`
//! cycles or more: same arithmetic as cycle by cycle, without its cost. What a node emits is handed to the next one
//! while it is still in the cache.

/// The fields of a ring that its nodes share; the ring is simulated up to cycle `$end`.
macro_rules! shared {
    ($ring:expr, $end:expr) => {
        Shared {
            hosts: &mut $ring.hosts,
            protocol: &mut $ring.protocol,
            timing: $ring.timing,
            echo_symbols: $ring.echo_symbols,
            latency_digits: $ring.latency_digits,
            in_time: $ring.in_time,
            prioritised: $ring.prioritised,
            acts: $ring.prioritised || $ring.timing.acts(),
            end: $end,
            progress: &mut $ring.progress,
            observer: &mut $ring.observer,
            rounds: &mut $ring.rounds,
        }
    };
}

mod checks;
mod circling;
mod joined;
mod lookahead;
mod networked;
mod plan;
mod saved;
mod simulate;
mod single;
mod slow_link;
mod wiring;

pub(crate) use lookahead::{Lookahead, Outlook};
pub(crate) use networked::Networked;
pub(crate) use plan::{Plan, Traffic, prompted};
pub use saved::Damaged;
pub(crate) use saved::{check_count, check_state, read, saved};
pub(crate) use simulate::{Deliver, Duplicate, Explore, Measure, Simulate, Supply};
pub(crate) use wiring::Wiring;

use crate::hosts::{Flow, Groups, Handed, Hosts, Replay, Replayed, RingContext, Transactions};
use crate::node::{Node, Rounds, Shared, Timing};
use crate::protocols::{FlowControl, Queues};
use crate::queues::{Links, Unread, Watched};
use crate::results::{FlowCounters, Observer};
use crate::spec::NetworkSpec;
use crate::values::{IdleStates, Kind, NEVER};

use slow_link::SlowLink;

/// Packets wait, but none was accepted for the spec's `stall_cycles`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stall {
    /// Cycle since which nothing has been accepted or served.
    pub since_cycle: u64,
    /// Nodes with packets that wait.
    pub waiting_nodes: Vec<u32>,
    /// State that the flow control holds, in words; of a network how many packets are where.
    pub detail: String,
    /// Ports of a network whose packets wait for a place at another port of their switch.
    pub blocked: Vec<BlockedPort>,
}

/// A port at which the first request or response waits for a transmit slot of another port of the switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockedPort {
    /// The switch.
    pub switch: u32,
    /// The port.
    pub port: u16,
    /// The port that has no slot free.
    pub exit: u16,
    /// Is it a response that waits?
    pub is_response: bool,
}

/// One ring with its protocol and its observer.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(bound(serialize = "", deserialize = "O: Default"))]
pub(crate) struct Ring<P: FlowControl, O, const NETWORKED: bool> {
    pub(crate) nodes: Vec<Node<P, NETWORKED>>,
    pub(crate) hosts: Hosts,
    /// State that the nodes share for their protocol.
    pub(crate) protocol: P::Ring,
    timing: Timing,
    echo_symbols: u32,
    latency_digits: u8,
    in_time: bool,
    prioritised: bool,
    stall_cycles: u64,
    /// Cycles of a symbol's way round an idle ring.
    revolution: u64,
    /// Hop delay of each node's outgoing link, where they differ.
    hop_delays: Option<Box<[u32]>>,
    /// The place to which each node's outgoing link leads, if that may change.
    wiring: Option<Box<Wiring>>,
    /// Links of a single ring that are slower than it, in the order of their nodes.
    slow_links: Box<[SlowLink]>,
    cycle: u64,
    /// Cycle of the last reset.
    measured_from: u64,
    pub(crate) progress: u64,
    #[serde(skip)]
    observer: O,
    #[serde(skip)]
    rounds: Rounds,
    /// Links of the node that is visited in a sweep. Between the calls what the last node has emitted is still there in
    /// a network, else with the first node.
    links: Links,
}

impl<P: FlowControl, O: Observer, const NETWORKED: bool> Ring<P, O, NETWORKED> {
    /// Builds the ring at cycle 0. Hosts are those of the plan.
    pub(crate) fn new(spec: &NetworkSpec, options: &P::Options, mut plan: Plan, observer: O) -> Self {
        let mut protocol = P::Ring::default();
        let initial = P::initial_idle(options, spec, &mut protocol);
        let Plan { places, timing, traffic, .. } = plan;
        let wiring = plan.wiring.take();
        let queues = plan.queues(spec, P::FOLLOWS_QUEUES);
        let mut hosts = plan.hosts(spec);
        // Otherwise nothing that a node sends depends on when a service ends: services
        // wait until their counts are read.
        let in_time = traffic.responds || P::FOLLOWS_QUEUES || hosts.crosses();
        let nodes = (0..places).zip(queues).map(|(id, (mut transmit, mut receive))| {
            let mut flow_control = P::new(options, spec, id, initial);
            // Responses that come back may let more requests go.
            let limits_requests = transmit.limits_begun() || !hosts.prompted.is_empty() || hosts.follows_deliveries;
            if in_time {
                let least = if NETWORKED || limits_requests { Watched::Ends } else { Watched::Nothing };
                receive.watch_at_least(least);
                receive.watch(Watched::Requests);
            } else {
                receive.watch(Watched::Nothing);
            }
            if let Some(queues) = flow_control.queues() {
                queues.attach(&mut transmit, &mut receive);
            }
            transmit.start(&mut hosts);
            let before = wiring.as_ref().map_or((id + places - 1) % places, |wiring| wiring.before(id));
            // At cycle 0 a link holds idles alone, as many as its hop delay
            // has cycles (model.md, "Time, links, symbols").
            let unread = Unread::of_idles(*spec.hop_delay.of(before), initial);
            Node::new(flow_control, (transmit, receive), unread)
        });
        let mut ring = Self {
            nodes: nodes.collect(),
            hosts,
            protocol,
            timing,
            echo_symbols: spec.format.echo_symbols,
            latency_digits: spec.measurement.latency_digits,
            in_time,
            prioritised: traffic.prioritised,
            stall_cycles: spec.measurement.stall_cycles,
            revolution: wiring.as_ref().map_or_else(|| spec.around_cycles(), Wiring::revolution),
            hop_delays: spec.hop_delay.each.as_deref().map(Into::into),
            wiring: wiring.map(Box::new),
            slow_links: spec.slow_links.iter().map(|link| SlowLink::new(link, initial)).collect(),
            cycle: 0,
            measured_from: 0,
            progress: 0,
            observer,
            rounds: Rounds::default(),
            links: Links::default(),
        };
        let mut shared = shared!(ring, 0);
        for node in &mut ring.nodes {
            node.show_from(&mut shared, 0);
            node.start(&mut shared);
        }
        ring
    }

    /// A copy with another observer from here on.
    pub(crate) fn observed_by<Q: Observer>(&self, observer: Q) -> Ring<P, Q, NETWORKED> {
        let &Self {
            ref nodes,
            ref hosts,
            ref protocol,
            timing,
            echo_symbols,
            latency_digits,
            in_time,
            prioritised,
            stall_cycles,
            revolution,
            ref hop_delays,
            ref wiring,
            ref slow_links,
            cycle,
            measured_from,
            progress,
            observer: _,
            rounds,
            ref links,
        } = self;
        let mut ring = Ring {
            nodes: nodes.clone(),
            hosts: hosts.clone(),
            protocol: protocol.clone(),
            timing,
            echo_symbols,
            latency_digits,
            in_time,
            prioritised,
            stall_cycles,
            revolution,
            hop_delays: hop_delays.clone(),
            wiring: wiring.clone(),
            slow_links: slow_links.clone(),
            cycle,
            measured_from,
            progress,
            observer,
            rounds,
            links: if NETWORKED { links.clone() } else { Links::default() },
        };
        let mut shared = shared!(ring, cycle);
        for node in &mut ring.nodes {
            node.show_from(&mut shared, cycle);
        }
        ring
    }

    /// The cycle before which no packet is anywhere on the ring or at its nodes; the present one, if one is.
    pub(crate) fn is_quiet_until(&self) -> u64 {
        if self.hosts.packets.held() > 0 || self.nodes.iter().any(|node| node.transmit.has_waiting()) {
            return self.cycle;
        }
        let events = self.nodes.iter().map(|node| node.next_event().min(node.receive.next_event));
        events.min().unwrap_or(NEVER).max(self.cycle)
    }

    /// Starts all counts again from this cycle, for which they have been settled.
    pub(crate) fn reset(&mut self) {
        self.hosts.reset_counters(self.cycle);
        for node in &mut self.nodes {
            node.reset(self.cycle);
        }
        self.slow_links.iter_mut().for_each(SlowLink::reset);
        self.measured_from = self.cycle;
    }

    /// A packet of a trace will start at this place.
    pub(crate) fn hand_in_at(&mut self, place: u16, packet: Handed, awaited: &[(u32, u64)]) {
        let replay = self.hosts.replay.as_mut().expect("the spec has flows of a trace");
        if let Some(cycle) = replay.hand_in(place, packet, awaited) {
            self.nodes[usize::from(place)].transmit.announce_traced(cycle);
        }
    }

    /// The group register of the node at this place is rewritten.
    pub(crate) fn set_group_at(&mut self, place: u16, group: u8) {
        for &flow in self.nodes[usize::from(place)].transmit.flows() {
            self.hosts.flows[flow as usize].set_group(group, self.cycle);
        }
        if let Some(groups) = self.hosts.response_groups.get_mut(usize::from(place)) {
            groups.rewrite(group, self.cycle);
        }
    }

    /// The delivery of a packet of a trace will be seen at the node at this place.
    pub(crate) fn expect_at(&mut self, place: u16, number: u32) {
        self.hosts.replay.as_mut().expect("the spec has flows of a trace").expect(place, number);
    }

    pub(crate) fn replayed(&self) -> Replayed {
        self.hosts.replay.as_ref().map_or_else(Replayed::default, |replay| replay.replayed())
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let nodes: usize = self.nodes.iter().map(Node::heap_bytes).sum();
        let flows: usize = self.hosts.flows.iter().map(Flow::heap_bytes).sum();
        let groups: usize = self.hosts.response_groups.iter().map(|one| size_of::<Groups>() + one.heap_bytes()).sum();
        let counters: usize = self.hosts.counters.iter().map(FlowCounters::heap_bytes).sum();
        self.nodes.capacity() * size_of::<Node<P, NETWORKED>>()
            + self.hosts.flows.capacity() * size_of::<Flow>()
            + self.hosts.counters.capacity() * size_of::<FlowCounters>()
            + self.hosts.packets.heap_bytes()
            + self.hosts.context.as_ref().map_or(0, |network| size_of::<RingContext>() + network.heap_bytes())
            + self.hosts.replay.as_ref().map_or(0, |replay| size_of::<Replay>() + replay.heap_bytes())
            + self.hosts.prompted_bytes()
            + self.hosts.transactions.as_ref().map_or(0, |held| size_of::<Transactions>() + held.heap_bytes())
            + self.wiring.as_ref().map_or(0, |wiring| wiring.bytes())
            + self.hop_delays.as_ref().map_or(0, |each| size_of_val(&**each))
            + self.slow_links.iter().map(SlowLink::heap_bytes).sum::<usize>()
            + self.links.heap_bytes()
            + nodes
            + flows
            + groups
            + counters
    }

    /// Brings every node to cycle `end`.
    // Inlined, it costs registers of the node that is visited.
    #[inline(never)]
    fn sweep_to(&mut self, end: u64) {
        let (nodes, links) = (&mut self.nodes, &mut self.links);
        let mut shared = shared!(self, end);
        let mut sweeps = Sweeps::default();
        loop {
            let mut sweep = Sweep::BEGUN;
            for node in nodes.iter_mut() {
                sweep.visit(node, &mut shared, links);
            }
            if sweep.done {
                if !NETWORKED {
                    links.keep(&mut nodes[0].unread);
                }
                return;
            }
            sweeps.end(&sweep, nodes, links, &mut shared, self.revolution);
        }
    }

    /// Brings every node's counts to this cycle.
    pub(crate) fn settle(&mut self) {
        let mut shared = shared!(self, self.cycle);
        for node in &mut self.nodes {
            node.settle(&mut shared, self.cycle);
        }
    }
}

/// The outcome of the visits of a sweep.
struct Sweep {
    /// Is every node at the end?
    done: bool,
    /// Did a node do anything but let idles pass?
    active: bool,
    /// Cycles of the node that has gone least far.
    least_progress: u64,
}

impl Sweep {
    /// Outcome before the first visit.
    const BEGUN: Self = Self { done: true, active: false, least_progress: NEVER };

    /// Visits a node.
    #[inline(always)]
    fn visit<P: FlowControl, O: Observer, const NETWORKED: bool>(
        &mut self,
        node: &mut Node<P, NETWORKED>,
        shared: &mut Shared<'_, P, O>,
        links: &mut Links,
    ) {
        let before = node.cycle;
        self.active |= node.visit(shared, links);
        self.least_progress = self.least_progress.min(node.cycle - before);
        self.done &= node.is_done(shared.end);
    }
}

/// Sweeps one after the other.
#[derive(Default)]
struct Sweeps {
    /// The last ones, in which only idles circulated, for a whole revolution each.
    settled: u32,
    /// The cycles that the nodes had reached by the last one in which one of them stood still.
    reached: Option<u64>,
}

impl Sweeps {
    /// A sweep has ended that did not bring all nodes to the end.
    #[inline(always)]
    fn end<P: FlowControl, O: Observer, const NETWORKED: bool>(
        &mut self,
        sweep: &Sweep,
        nodes: &mut [Node<P, NETWORKED>],
        links: &Links,
        shared: &mut Shared<'_, P, O>,
        revolution: u64,
    ) {
        clear_states(nodes, links, shared.protocol);
        if sweep.least_progress == 0 {
            // One node always has more input than it has consumed, or the nodes have emitted other than they have taken
            // in.
            let reached = nodes.iter().map(Node::reached).fold(0u64, u64::wrapping_add);
            assert!(self.reached != Some(reached), "the ring stands still at cycle {}", nodes[0].cycle);
            self.reached = Some(reached);
        }
        // Less than a revolution shows a part of the ring's idles only.
        if sweep.active || sweep.least_progress < revolution {
            self.settled = 0;
            return;
        }
        self.settled += 1;
        if self.settled >= P::AT_REST.revolutions() && !O::SEES_IDLES {
            skip_idle_revolutions(nodes, revolution, shared.end);
        }
    }
}

/// Drops what no idle on the ring names, if there is much of it.
#[inline]
fn clear_states<P: FlowControl, const NETWORKED: bool>(
    nodes: &[Node<P, NETWORKED>],
    links: &Links,
    protocol: &mut P::Ring,
) {
    if protocol.is_full() {
        let runs = nodes.iter().flat_map(|node| node.unread.iter()).chain(links.emitted());
        protocol.keep_only(&mut runs.filter(|run| run.kind == Kind::Idle).map(|run| run.value));
    }
}

/// Skips whole revolutions where only idles circulate, and have for a whole revolution: they will be unchanged after
/// any number of revolutions until something happens at a node.
fn skip_idle_revolutions<P: FlowControl, const NETWORKED: bool>(
    nodes: &mut [Node<P, NETWORKED>],
    revolution: u64,
    end: u64,
) {
    let free = nodes.iter().map(|node| end.min(node.next_event()).saturating_sub(node.cycle)).min();
    // Whole ones: equal idles come to a node after a revolution, not before.
    let skipped = free.unwrap_or(0) / revolution * revolution;
    for node in nodes {
        // What a node has unread begins at its cycle, and moves with it.
        node.cycle += skipped;
    }
}
