//! Sources of packets: when one is generated, where it goes, how long it is.
//!
//! Every source draws from two streams of its own, keyed by (seed, flow, purpose): adding a node, or evaluating nodes
//! in another order, changes no other source's draws. Logarithms come from `libm`, so that every machine draws the
//! same.

use std::collections::VecDeque;

use rand::RngExt;
use rand_pcg::Pcg64Mcg;
use ringlet_engine_derive::Encode;
use smallvec::SmallVec;

use crate::hosts::chance::{cumulative, unit};
use crate::hosts::injection::Own;
use crate::hosts::messages::{Begun, Messages, Part, Side, Size};
use crate::queues::heap_bytes;
use crate::spec::{ArrivalSpec, DestinationSpec, FlowSpec, MAX_CYCLES, arrivals_in_turn};
use crate::values::{Encode, Encoder};

/// The purpose of a stream of random numbers.
#[derive(Clone, Copy)]
enum Purpose {
    Arrivals = 1,
    Packets = 2,
}

/// SplitMix64's finaliser: neighbouring keys give unrelated generators.
pub(crate) fn mix(key: u64) -> u64 {
    let mut z = key.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

fn stream(seed: u64, flow: usize, purpose: Purpose) -> Pcg64Mcg {
    let low = mix(seed ^ mix(mix(flow as u64) ^ purpose as u64));
    let high = mix(low ^ seed.rotate_left(32));
    Pcg64Mcg::new((u128::from(high) << 64) | u128::from(low))
}

#[derive(Debug, Clone, Encode, serde::Serialize, serde::Deserialize)]
enum Arrivals {
    Saturated,
    /// The first arrival is at cycle 0; the others follow from what becomes of it.
    Closed,
    /// Packets are handed in, by a trace or by an activity.
    Trace(Box<Started>),
    /// Packets are injected by a program, each with its own properties, which is not explored.
    Injected(#[encode(skip)] Box<Injected>),
    Bernoulli {
        #[encode(skip)]
        log_failure: f64,
    },
    Poisson {
        #[encode(skip)]
        mean_gap: f64,
        at: f64,
    },
    Periodic {
        #[encode(skip)]
        period: f64,
        #[encode(skip)]
        phase: f64,
        #[encode(with = encoder.put(of_turn(*period, *phase, *taken)))]
        taken: u64,
    },
    /// Messages at times of the other arrivals, which are not explored.
    Messages(#[encode(skip)] Box<(Arrivals, Messages)>),
    /// A message of one packet that always waits, of a size that is drawn with it.
    SaturatedMessages(#[encode(skip)] Box<Size>),
    /// Packets at a least distance, which are not explored; nor are those of the other variants below.
    Sporadic(#[encode(skip)] Box<Sporadic>),
    OnOff(#[encode(skip)] Box<OnOff>),
    Listed(#[encode(skip)] Box<Listed>),
    /// Arrivals a think time after what becomes of messages, behind those of the start.
    Window {
        #[encode(skip)]
        think_cycles: f64,
        #[encode(skip)]
        drawn: bool,
    },
    /// Arrivals after what becomes of another flow's messages.
    After,
}

/// Arrivals with a least distance.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Sporadic {
    period: f64,
    extra: f64,
    /// Time of the next one.
    at: f64,
}

/// Arrivals at equal distances of the time in which a source is on.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct OnOff {
    gap: f64,
    on: f64,
    off: f64,
    shape: Option<f64>,
    /// Time of the last one.
    at: f64,
    /// Time for which the source is still on then.
    on_left: f64,
}

impl OnOff {
    /// Time of the next one. The source begins with a time on.
    fn next(&mut self, rng: &mut Pcg64Mcg) -> f64 {
        let mut wanted = self.gap;
        while wanted > self.on_left {
            wanted -= self.on_left;
            self.at += self.on_left;
            if self.at > 0.0 {
                self.at += self.duration(self.off, rng);
            }
            self.on_left = self.duration(self.on, rng);
            // Beyond all that is simulated.
            if self.at >= MAX_CYCLES as f64 {
                return self.at;
            }
        }
        self.on_left -= wanted;
        self.at += wanted;
        self.at
    }

    /// A time of this mean.
    fn duration(&self, mean: f64, rng: &mut Pcg64Mcg) -> f64 {
        match self.shape {
            None => -libm::log(unit(rng)) * mean,
            // Pareto's distribution: only above a shape of 1, as the spec has it, is there a mean.
            Some(shape) => mean * (shape - 1.0) / shape * libm::pow(unit(rng), -1.0 / shape),
        }
    }
}

/// Arrivals at given times, and how many of them are over.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Listed {
    times: Box<[u64]>,
    taken: usize,
}

/// Origin of what is known of the next packet, such as where it goes.
pub(crate) enum Drawn {
    /// The source itself.
    BySource,
    /// A trace or a plan, which has handed it in with this destination and number.
    Handed(u32, u32),
    /// The program that injected it, with its own properties.
    Injected(u32, u32, Own),
    /// The message that it is a part of.
    OfMessage(Part),
}

impl Arrivals {
    fn new(flow: &FlowSpec) -> Self {
        match flow.arrivals {
            ArrivalSpec::Saturated {} => Self::Saturated,
            ArrivalSpec::Closed { .. } => Self::Closed,
            ArrivalSpec::Trace { .. } => Self::Trace(Box::default()),
            ArrivalSpec::Injected { .. } => Self::Injected(Box::default()),
            ArrivalSpec::Bernoulli { rate } => Self::Bernoulli { log_failure: libm::log1p(-rate) },
            ArrivalSpec::Poisson { rate } => Self::Poisson { mean_gap: 1.0 / rate, at: 0.0 },
            ArrivalSpec::Periodic { period, phase } => Self::Periodic { period, phase, taken: 0 },
            ArrivalSpec::Sporadic { period, phase, extra } => {
                Self::Sporadic(Box::new(Sporadic { period, extra, at: phase }))
            }
            ArrivalSpec::OnOff { gap, on, off, shape } => {
                Self::OnOff(Box::new(OnOff { gap, on, off, shape, at: 0.0, on_left: 0.0 }))
            }
            ArrivalSpec::Listed {} => {
                let times = flow.messages.iter().flat_map(|messages| messages.times.iter().copied()).collect();
                Self::Listed(Box::new(Listed { times, taken: 0 }))
            }
            ArrivalSpec::Window { think_cycles, drawn, .. } => Self::Window { think_cycles, drawn },
            ArrivalSpec::After { .. } | ArrivalSpec::Copies { .. } => Self::After,
        }
    }

    /// Cycle of the next arrival; `from` is the first one in which it may be.
    fn next(&mut self, from: u64, rng: &mut Pcg64Mcg) -> u64 {
        match self {
            Self::Saturated | Self::SaturatedMessages(_) | Self::Closed => 0,
            // None of its own.
            Self::Trace(_) | Self::Injected(_) | Self::Messages(_) | Self::Window { .. } | Self::After => MAX_CYCLES,
            // Failures before the first success of a geometric distribution, by inversion.
            Self::Bernoulli { log_failure } => {
                from.saturating_add(libm::floor(libm::log(unit(rng)) / *log_failure) as u64)
            }
            Self::Poisson { mean_gap, at } => {
                // The sum of gaps is not rounded, only what is returned: rounding each gap up would lower the rate.
                *at -= libm::log(unit(rng)) * *mean_gap;
                libm::ceil(*at) as u64
            }
            // Each from its number, not from the one before: sums of a period that is no whole number would drift.
            Self::Periodic { period, phase, taken } => {
                let at = *phase + *taken as f64 * *period;
                *taken += 1;
                libm::ceil(at) as u64
            }
            Self::Sporadic(held) => {
                let cycle = libm::ceil(held.at) as u64;
                held.at += held.period - libm::log(unit(rng)) * held.extra;
                cycle
            }
            Self::OnOff(held) => libm::ceil(held.next(rng)) as u64,
            Self::Listed(held) => {
                held.taken += 1;
                held.times.get(held.taken - 1).copied().unwrap_or(MAX_CYCLES)
            }
        }
    }
}

/// The place of the next arrival in a turn, on which the times of later ones depend besides its own.
fn of_turn(period: f64, phase: f64, taken: u64) -> u64 {
    arrivals_in_turn(period, phase).map_or(taken, |arrivals| taken % arrivals)
}

/// Packets of a trace that have started and are not drawn: destination and number.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
struct Started(VecDeque<(u32, u32)>);

impl Encode for Started {
    fn encode(&self, encoder: &mut Encoder<'_>) {
        encoder.len(self.0.len());
        for &(destination, number) in &self.0 {
            encoder.put(destination);
            encoder.handed_in(number);
        }
    }
}

/// Injected packets that have started and are not drawn: destination, number, and own properties.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
struct Injected(VecDeque<(u32, u32, Own)>);

#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
enum Destinations {
    Uniform,
    Fixed(u32),
    HotSpot { node: u32, probability: f64 },
    Range(Box<Range>),
    Cumulative(Box<[f64]>),
}

/// `count` nodes from `first` on, without those of the sorted list; or a local node.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Range {
    first: u32,
    count: u32,
    without: [Option<u32>; 2],
    local: u32,
    probability: f64,
}

impl Range {
    fn new(source: u32, (first, count): (u32, u32), local: Option<u32>, probability: f64) -> Self {
        let inside = |node: &u32| (first..first + count).contains(node);
        let mut without = [Some(source).filter(inside), local.filter(inside)];
        without.sort_unstable();
        let count = count - without.iter().flatten().count() as u32;
        Self { first, count, without, local: local.unwrap_or(0), probability }
    }

    fn draw(&self, rng: &mut Pcg64Mcg) -> u32 {
        // At 1 the range may have no other node (`validate_destinations`): nothing is drawn from it.
        if self.probability > 0.0 && (self.probability >= 1.0 || rng.random::<f64>() < self.probability) {
            return self.local;
        }
        let drawn = self.first + rng.random_range(0..self.count);
        // In ascending order: each gap that is passed moves the node on before the next one is looked at.
        self.without.into_iter().flatten().fold(drawn, |node, gap| node + u32::from(node >= gap))
    }
}

/// One flow's source of packets.
#[derive(Debug, Clone, Encode, serde::Serialize, serde::Deserialize)]
pub struct Source {
    #[encode(skip)]
    node: u32,
    #[encode(skip)]
    nodes: u32,
    /// Cycle of the next arrival.
    #[encode(with = encoder.arrival(self.next, self.is_random()))]
    next: u64,
    arrivals: Arrivals,
    #[encode(skip)]
    arrival_stream: Pcg64Mcg,
    #[encode(skip)]
    packet_stream: Pcg64Mcg,
    #[encode(skip)]
    destinations: Destinations,
    /// Lengths with their cumulative probabilities.
    #[encode(skip)]
    sizes: SmallVec<[(u32, f64); 1]>,
}

impl Source {
    /// The source of flow number `flow_index` of a validated spec.
    pub fn new(seed: u64, flow_index: usize, flow: &FlowSpec, nodes: u32) -> Self {
        let destinations = match &flow.destinations {
            DestinationSpec::Uniform {} => Destinations::Uniform,
            DestinationSpec::Fixed { node } => Destinations::Fixed(*node),
            DestinationSpec::HotSpot { node, probability } => {
                Destinations::HotSpot { node: *node, probability: *probability }
            }
            &DestinationSpec::Range { first, count, local, probability } => {
                Destinations::Range(Box::new(Range::new(flow.source, (first, count), local, probability)))
            }
            DestinationSpec::Weighted { weights } => Destinations::Cumulative(cumulative(weights.iter().copied())),
        };
        let steps = cumulative(flow.sizes.iter().map(|size| size.1));
        let mut source = Self {
            node: flow.source,
            nodes,
            next: 0,
            arrivals: Arrivals::new(flow),
            arrival_stream: stream(seed, flow_index, Purpose::Arrivals),
            packet_stream: stream(seed, flow_index, Purpose::Packets),
            destinations,
            sizes: flow.sizes.iter().zip(steps).map(|(size, step)| (size.0, step)).collect(),
        };
        let mut first = source.arrivals.next(0, &mut source.arrival_stream);
        if let Some(messages) = &flow.messages
            && matches!(source.arrivals, Arrivals::Saturated)
        {
            source.arrivals = Arrivals::SaturatedMessages(Box::new(Size::new(&messages.size)));
        } else if let Some(messages) = &flow.messages {
            let mut released = Messages::new(messages);
            released.begin(first);
            if let ArrivalSpec::Window { window, .. } = flow.arrivals {
                let start = released.start();
                (0..window).for_each(|_| {
                    released.prompt(start, &mut source.arrival_stream);
                });
            }
            let arrivals = std::mem::replace(&mut source.arrivals, Arrivals::Saturated);
            source.arrivals = Arrivals::Messages(Box::new((arrivals, released)));
            first = source.next_release();
        }
        source.next = first.min(MAX_CYCLES);
        source
    }

    /// Times alone, of a stream of their own.
    pub(crate) fn of_times(seed: u64, key: usize, arrivals: ArrivalSpec) -> Self {
        Self::new(seed, key, &Self::bare(arrivals, vec![(1, 1.0)]), 1)
    }

    /// Listed times alone.
    pub(crate) fn of_list(times: &[u64]) -> Self {
        let mut source = Self::of_times(0, 0, ArrivalSpec::Listed {});
        source.arrivals = Arrivals::Listed(Box::new(Listed { times: times.into(), taken: 0 }));
        source.take_arrival();
        source
    }

    /// Sizes alone.
    pub(crate) fn of_sizes(seed: u64, key: usize, sizes: &[(u32, f64)]) -> Self {
        Self::new(seed, key, &Self::bare(ArrivalSpec::Saturated {}, sizes.to_vec()), 1)
    }

    fn bare(arrivals: ArrivalSpec, sizes: Vec<(u32, f64)>) -> FlowSpec {
        FlowSpec { sizes, ..FlowSpec::new(0, DestinationSpec::Fixed { node: 0 }, arrivals, 1) }
    }

    /// Cycle of the next arrival not yet taken; `None` if the source is saturated.
    pub fn next_arrival(&self) -> Option<u64> {
        (!matches!(self.arrivals, Arrivals::Saturated | Arrivals::SaturatedMessages(_))).then_some(self.next)
    }

    /// Takes the next arrival and returns its cycle. A saturated source has none and returns 0.
    pub fn take_arrival(&mut self) -> u64 {
        let taken = self.next;
        if matches!(self.arrivals, Arrivals::Messages(_)) {
            self.release();
            return taken;
        }
        self.next = self.arrivals.next(taken.saturating_add(1), &mut self.arrival_stream).min(MAX_CYCLES);
        taken
    }

    /// The next message is released.
    #[inline(never)]
    fn release(&mut self) {
        let destination = self.draw_destination();
        let Arrivals::Messages(held) = &mut self.arrivals else { return };
        held.1.release(destination, &mut self.packet_stream);
        self.next = self.next_release();
    }

    /// Cycle of the release of the next message.
    fn next_release(&mut self) -> u64 {
        let Arrivals::Messages(held) = &mut self.arrivals else { return MAX_CYCLES };
        let (arrivals, messages) = &mut **held;
        messages.next_release(&mut self.arrival_stream, |due, rng| arrivals.next(due + 1, rng))
    }

    /// Cycles of the first releases of messages that packets prompt; `None` where they come by themselves.
    pub(crate) fn prompted(&self) -> Option<impl Iterator<Item = u64> + '_> {
        let Arrivals::Messages(held) = &self.arrivals else { return None };
        matches!(held.0, Arrivals::Window { .. } | Arrivals::After).then(|| held.1.coming())
    }

    /// A message is done in cycle `now`, and the next one is due after the think time, at least a cycle later; returns
    /// when it is released, if there is one.
    pub(crate) fn think(&mut self, now: u64) -> Option<u64> {
        let Arrivals::Messages(held) = &self.arrivals else { return None };
        let Arrivals::Window { think_cycles, drawn } = held.0 else { return None };
        let cycles = if drawn { -libm::log(unit(&mut self.arrival_stream)) * think_cycles } else { think_cycles };
        self.prompt(now.saturating_add((libm::ceil(cycles) as u64).max(1)))
    }

    /// A message is due in a cycle to come; returns when it is released, if there is to be one.
    pub(crate) fn prompt(&mut self, due: u64) -> Option<u64> {
        let Arrivals::Messages(held) = &mut self.arrivals else { return None };
        let release = held.1.prompt(due, &mut self.arrival_stream)?;
        self.next = self.next.min(release);
        Some(release)
    }

    /// A number of cycles up to `most`, each alike, in place of a packet.
    pub(crate) fn draw_cycles(&mut self, most: u64) -> u64 {
        if most == 0 { 0 } else { self.packet_stream.random_range(0..=most) }
    }

    /// A packet of a trace starts, which is drawn in its turn.
    pub(crate) fn hand(&mut self, destination: u32, number: u32) {
        if let Arrivals::Trace(started) = &mut self.arrivals {
            started.0.push_back((destination, number));
        }
    }

    /// An injected packet starts, which is drawn in its turn.
    pub(crate) fn inject(&mut self, destination: u32, number: u32, own: Own) {
        if let Arrivals::Injected(started) = &mut self.arrivals {
            started.0.push_back((destination, number, own));
        }
    }

    /// Messages to the nodes of a side are sent from here, and others from the other interface of the node.
    pub(crate) fn sort(&mut self, side: Side) {
        if let Arrivals::Messages(held) = &mut self.arrivals {
            held.1.sort(side);
        }
    }

    /// The message released last is sent from the other interface of the node.
    pub(crate) fn pass_over(&mut self) {
        if let Arrivals::Messages(held) = &mut self.arrivals {
            held.1.pass_over();
        }
    }

    /// The packet that started last is lost, or the message that was released last.
    pub(crate) fn lose(&mut self) {
        match &mut self.arrivals {
            Arrivals::Trace(started) => drop(started.0.pop_back()),
            Arrivals::Messages(held) => held.1.lose(),
            _ => {}
        }
    }

    /// The message released last, of a source of messages.
    #[inline]
    pub(crate) fn released(&self) -> Option<Begun> {
        if let Arrivals::Messages(held) = &self.arrivals { held.1.last() } else { None }
    }

    /// Bytes of the message that is the packet drawn last, of a saturated source of messages.
    #[inline(never)]
    pub(crate) fn draw_bytes(&mut self) -> Option<u64> {
        let Arrivals::SaturatedMessages(size) = &self.arrivals else { return None };
        Some(size.draw(&mut self.packet_stream))
    }

    /// Are its packets those of messages that are counted?
    #[inline]
    pub(crate) fn has_messages(&self) -> bool {
        matches!(self.arrivals, Arrivals::Messages(_) | Arrivals::SaturatedMessages(_))
    }

    /// Is a packet still to be drawn of the message of which the last one was?
    #[inline]
    pub(crate) fn is_within_message(&self) -> bool {
        if let Arrivals::Messages(held) = &self.arrivals { held.1.is_within() } else { false }
    }

    /// Takes what is known of the next packet, once it has started or its message been released.
    #[inline]
    pub(crate) fn take_drawn(&mut self) -> Drawn {
        let drawn = match &mut self.arrivals {
            Arrivals::Trace(started) => {
                started.0.pop_front().map(|(destination, number)| Drawn::Handed(destination, number))
            }
            Arrivals::Injected(started) => {
                started.0.pop_front().map(|(destination, number, own)| Drawn::Injected(destination, number, own))
            }
            Arrivals::Messages(held) => held.1.draw().map(Drawn::OfMessage),
            _ => None,
        };
        drawn.unwrap_or(Drawn::BySource)
    }

    /// Symbols of all packets, where they have one length.
    pub(crate) fn only_size(&self) -> u32 {
        self.sizes[0].0
    }

    /// Destination and symbols of the flow's next packet; one call per accepted packet.
    #[inline(always)]
    pub fn draw_packet(&mut self) -> (u32, u32) {
        let destination = self.draw_destination();
        let symbols = match &*self.sizes {
            [(symbols, _)] => *symbols,
            sizes => {
                let draw = self.packet_stream.random::<f64>();
                sizes[sizes.partition_point(|&(_, step)| step <= draw)].0
            }
        };
        (destination, symbols)
    }

    #[inline(always)]
    fn draw_destination(&mut self) -> u32 {
        let rng = &mut self.packet_stream;
        let (node, nodes) = (self.node, self.nodes);
        let ahead = |distance: u32| ((u64::from(node) + u64::from(distance)) % u64::from(nodes)) as u32;
        match &self.destinations {
            _ if nodes == 1 => 0,
            Destinations::Uniform => ahead(rng.random_range(1..nodes)),
            Destinations::Fixed(node) => *node,
            Destinations::HotSpot { node: hot, probability } => {
                if rng.random::<f64>() < *probability {
                    *hot
                } else {
                    // The other nodes, each alike: those from the hot spot on are counted one further.
                    let hot_distance = (nodes + hot - node) % nodes;
                    let distance = rng.random_range(1..nodes - 1);
                    ahead(distance + u32::from(distance >= hot_distance))
                }
            }
            Destinations::Range(range) => range.draw(rng),
            Destinations::Cumulative(steps) => {
                let draw = rng.random::<f64>();
                steps.partition_point(|&step| step <= draw) as u32
            }
        }
    }

    /// Do the packets that have been handed in, and are not drawn, go to nodes of so many?
    pub(crate) fn sends_within(&self, nodes: usize) -> bool {
        let is_within = |destination: u32| (destination as usize) < nodes;
        match &self.arrivals {
            Arrivals::Trace(started) => started.0.iter().all(|&(destination, _)| is_within(destination)),
            Arrivals::Injected(started) => started.0.iter().all(|&(destination, ..)| is_within(destination)),
            _ => true,
        }
    }

    /// Number of the next message that is released, of messages that are all sent from this interface of the node.
    pub(crate) fn next_message(&self) -> Option<u32> {
        match &self.arrivals {
            Arrivals::Messages(messages) => messages.1.next_number(),
            _ => None,
        }
    }

    /// Messages released of which not all packets are drawn; `None`: they have no sizes of their own.
    pub(crate) fn begun(&self) -> Option<usize> {
        match &self.arrivals {
            Arrivals::Messages(messages) => Some(messages.1.begun()),
            _ => None,
        }
    }

    /// Has each message that has been released packets to be drawn, as it must?
    pub(crate) fn have_packets(&self) -> bool {
        !matches!(&self.arrivals, Arrivals::Messages(messages) if !messages.1.have_packets())
    }

    /// Bytes held outside the struct itself.
    pub(crate) fn heap_bytes(&self) -> usize {
        let table = match &self.destinations {
            Destinations::Cumulative(steps) => size_of_val(&**steps),
            Destinations::Range(_) => size_of::<Range>(),
            _ => 0,
        };
        let started = match &self.arrivals {
            Arrivals::Trace(started) => size_of::<Started>() + started.0.capacity() * size_of::<(u32, u32)>(),
            Arrivals::Injected(started) => size_of::<Injected>() + started.0.capacity() * size_of::<(u32, u32, Own)>(),
            Arrivals::Messages(held) => size_of_val(&**held) + held.1.heap_bytes(),
            Arrivals::SaturatedMessages(size) => size_of::<Size>() + size.heap_bytes(),
            _ => 0,
        };
        table + started + heap_bytes(&self.sizes)
    }
}

impl Source {
    /// Node it belongs to.
    pub(crate) fn node(&self) -> u32 {
        self.node
    }

    /// Does a program inject its packets?
    pub(crate) fn is_injected(&self) -> bool {
        matches!(self.arrivals, Arrivals::Injected(_))
    }

    /// Are its packets handed in from outside?
    #[inline]
    pub(crate) fn is_handed(&self) -> bool {
        matches!(self.arrivals, Arrivals::Trace(_) | Arrivals::Injected(_))
    }

    /// Are arrivals drawn at random?
    fn is_random(&self) -> bool {
        !matches!(
            self.arrivals,
            Arrivals::Saturated
                | Arrivals::SaturatedMessages(_)
                | Arrivals::Closed
                | Arrivals::Periodic { .. }
                | Arrivals::Trace(_)
                | Arrivals::Injected(_)
        )
    }

    /// Has it one destination only?
    pub(crate) fn goes_to_one(&self) -> bool {
        matches!(self.destinations, Destinations::Fixed(_))
    }

    /// Are destination and size of a packet drawn at random?
    pub(crate) fn draws(&self) -> bool {
        let goes_anywhere = !matches!(self.destinations, Destinations::Fixed(_)) && !self.is_handed();
        self.nodes > 1 && (goes_anywhere || self.sizes.len() > 1)
    }
}
