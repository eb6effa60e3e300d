//! The state of a ring in numbers, for exploration: two simulations with equal numbers do the same from then on.
//!
//! Every part of the engine that has state writes it with an [`Encoder`]: cycles relative to the present one, packets
//! numbered in the order in which they are met. Left out is what only counts: histograms, integrals. Since when
//! something has been waiting is a part of its [`Moment`], which says what is going to be counted, too.

use std::collections::VecDeque;

use crate::spec::MAX_CYCLES;
use crate::values::packet::{Packet, Packets, UNDRAWN};
use crate::values::run::{Kind, Run};
use crate::values::time::NEVER;

/// The state that the future of a ring depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    /// The state of every node and link. Simulations of the same network with equal codes have equal futures.
    pub code: Vec<u64>,
    /// Things not at rest, in words. A ring at rest holds no packet, reservation, grant or announcement.
    pub held: Vec<&'static str>,
}

/// Something in a ring that will be counted, by when it began: a packet is, with its latency, when it is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    /// Cycle in which it began.
    began: u64,
    /// Figure besides its age that is going to be counted of it.
    tally: u64,
}

/// The state of a simulation in a cycle, and what will be counted of what is under way.
#[derive(Debug, Clone)]
pub struct Moment {
    cycle: u64,
    code: Vec<u64>,
    marks: Vec<Mark>,
    /// Is nothing under way that it does not tell of?
    is_whole: bool,
}

impl Moment {
    /// The cycle.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Numbers of its code.
    pub fn words(&self) -> usize {
        self.code.len() + 2 * self.marks.len()
    }

    /// Returns whether the same simulation was in this state at an earlier moment. Then it does for ever what it has
    /// done since, and counts the same: what is under way is as old now as what stood in its place was then. A packet
    /// that still stands in its place will for ever, and is never counted.
    pub fn returns_to(&self, earlier: &Self) -> bool {
        let is_as_old = |(now, then): (&Mark, &Mark)| {
            let ages = [self.cycle.wrapping_sub(now.began), earlier.cycle.wrapping_sub(then.began)];
            (ages[0] == ages[1] && now.tally == then.tally) || (now.began == then.began && now.began < earlier.cycle)
        };
        self.is_whole
            && earlier.is_whole
            && self.code == earlier.code
            && self.marks.len() == earlier.marks.len()
            && self.marks.iter().zip(&earlier.marks).all(is_as_old)
    }
}

/// Writes a part's state.
pub(crate) trait Encode {
    /// Writes numbers that are equal if and, as far as that is cheap, only if the part does the same from now on.
    fn encode(&self, encoder: &mut Encoder<'_>);
}

/// Is a part of a ring as in a ring at rest?
pub(crate) trait Rest {
    /// Is it set, not zero or not empty?
    fn is_held(&self) -> bool;
}

/// Indices of packets in the arena.
pub(crate) trait Indices {
    /// Writes the packets that they name.
    fn encode(&self, encoder: &mut Encoder<'_>);
}

macro_rules! numbers {
    ($($number:ty),+) => {
        $(impl Encode for $number {
            fn encode(&self, encoder: &mut Encoder<'_>) {
                encoder.put(*self);
            }
        }

        impl Rest for $number {
            fn is_held(&self) -> bool {
                *self != <$number>::default()
            }
        })+
    };
}

numbers!(bool, u8, u16, u32, u64);

macro_rules! lists {
    ($($list:ty),+) => {
        $(impl<T: Encode> Encode for $list {
            fn encode(&self, encoder: &mut Encoder<'_>) {
                encoder.len(self.len());
                self.iter().for_each(|one| one.encode(encoder));
            }
        }

        impl<T: Indices> Indices for $list {
            fn encode(&self, encoder: &mut Encoder<'_>) {
                encoder.len(self.len());
                self.iter().for_each(|one| one.encode(encoder));
            }
        }

        impl<T> Rest for $list {
            fn is_held(&self) -> bool {
                !self.is_empty()
            }
        })+
    };
}

lists!(Vec<T>, VecDeque<T>);

impl Encode for usize {
    fn encode(&self, encoder: &mut Encoder<'_>) {
        encoder.len(*self);
    }
}

impl Indices for u32 {
    fn encode(&self, encoder: &mut Encoder<'_>) {
        encoder.packet(*self);
    }
}

impl<T> Indices for (u32, T) {
    fn encode(&self, encoder: &mut Encoder<'_>) {
        encoder.packet(self.0);
    }
}

impl<T: Encode> Encode for [T] {
    fn encode(&self, encoder: &mut Encoder<'_>) {
        self.iter().for_each(|one| one.encode(encoder));
    }
}

impl<T: Rest> Rest for [T] {
    fn is_held(&self) -> bool {
        self.iter().any(Rest::is_held)
    }
}

impl<T: Encode, const N: usize> Encode for [T; N] {
    fn encode(&self, encoder: &mut Encoder<'_>) {
        self.as_slice().encode(encoder);
    }
}

impl<T: Indices, const N: usize> Indices for [T; N] {
    fn encode(&self, encoder: &mut Encoder<'_>) {
        self.iter().for_each(|one| one.encode(encoder));
    }
}

impl<T: Rest, const N: usize> Rest for [T; N] {
    fn is_held(&self) -> bool {
        self.as_slice().is_held()
    }
}

impl<T: Encode> Encode for Box<[T]> {
    fn encode(&self, encoder: &mut Encoder<'_>) {
        (**self).encode(encoder);
    }
}

impl<T: Rest> Rest for Box<[T]> {
    fn is_held(&self) -> bool {
        (**self).is_held()
    }
}

impl<T: Encode> Encode for Option<T> {
    fn encode(&self, encoder: &mut Encoder<'_>) {
        encoder.put(self.is_some());
        self.iter().for_each(|one| one.encode(encoder));
    }
}

impl<T> Rest for Option<T> {
    fn is_held(&self) -> bool {
        self.is_some()
    }
}

impl<T: Encode, U: Encode> Encode for (T, U) {
    fn encode(&self, encoder: &mut Encoder<'_>) {
        self.0.encode(encoder);
        self.1.encode(encoder);
    }
}

impl<T: Encode> Encode for Box<T> {
    fn encode(&self, encoder: &mut Encoder<'_>) {
        (**self).encode(encoder);
    }
}

impl Encode for f64 {
    fn encode(&self, encoder: &mut Encoder<'_>) {
        encoder.put(self.to_bits());
    }
}

impl Rest for i32 {
    fn is_held(&self) -> bool {
        *self != 0
    }
}

impl Encode for i32 {
    fn encode(&self, encoder: &mut Encoder<'_>) {
        encoder.put(self.cast_unsigned());
    }
}

impl Encode for () {
    fn encode(&self, _: &mut Encoder<'_>) {}
}

/// A time of which only the order among others of its kind counts, once it is past.
struct Past {
    kind: (u32, u8),
    time: u64,
    /// Index in the code of the time's rank.
    place: usize,
}

/// Encodes a message on its way, unless its protocol says otherwise.
fn encode_message(message: &Run, encoder: &mut Encoder<'_>) {
    encoder.put(message.target);
    encoder.put(message.value);
    encoder.put(message.group);
    encoder.held("a message on a link", true);
}

/// Takes down a ring's state.
pub(crate) struct Encoder<'a> {
    now: u64,
    /// The node whose state is written.
    node: u32,
    /// The number of the ring's first node among those of all rings.
    first_node: u32,
    /// The packets of the ring.
    arena: &'a Packets,
    /// First message that is not complete, of each flow with several packets in a message; of a flow whose packets are
    /// handed in, the number of the next one.
    first_open: Vec<Option<u32>>,
    /// Number of the next packet that an activity hands in; `None` without activities.
    next_number: Option<u32>,
    /// Is nothing under way that it does not tell of?
    is_whole: bool,
    /// Is it the state of a network? Then packets cross rings, and slots hold them.
    pub(crate) is_network: bool,
    /// Does a copy of each packet take each of two rings? Its place in its message says which copies belong together.
    pub(crate) has_copies: bool,
    /// Does it count how often a packet was refused, or only whether?
    pub(crate) counts_refusals: bool,
    code: Vec<u64>,
    held: Vec<&'static str>,
    /// One more than the number of each packet of the arena that has been met, else 0.
    met: Vec<u32>,
    /// Number of packets that have been met.
    count: u32,
    marks: Vec<Mark>,
    past: Vec<Past>,
    /// Encodes a message of the node's protocol.
    pub(crate) encode_message: fn(&Run, &mut Encoder<'_>),
    /// Does the node's protocol read how long something has been in its bypass FIFO?
    pub(crate) ages: bool,
    /// May a packet that has been accepted still be read?
    pub(crate) late_echo: bool,
    /// Does the node's protocol read whether the run absorbed last was of created idles?
    pub(crate) reads_absorbed: bool,
    /// Does it count which of two packets that wait was generated first, wherever they wait?
    pub(crate) compares_ages: bool,
    /// Does it count which was generated first also of packets of different nodes?
    compares_nodes: bool,
    /// Does a refused packet that was taken out of the queue go back to its place?
    pub(crate) compares_refusals: bool,
    /// Do nodes wait for responses for a limited time? A time-out of a response that has come in time does nothing.
    pub(crate) times_out: bool,
    /// Tokens met so far, on a ring on which one token or message goes round for ever; `None` on others.
    tokens: Option<u32>,
    /// Runs on the link that is written next, behind those that its node holds.
    emitted: &'a [Run],
}

/// Codes of cycles from the present one on begin here; below are ranks of past ones.
const PRESENT: u64 = 1 << 32;

impl<'a> Encoder<'a> {
    pub(crate) fn new(
        now: u64,
        arena: &'a Packets,
        first_open: Vec<Option<u32>>,
        counts_refusals: bool,
        compares_ages: bool,
    ) -> Self {
        Self {
            now,
            node: 0,
            first_node: 0,
            arena,
            first_open,
            next_number: None,
            is_whole: true,
            is_network: false,
            has_copies: false,
            counts_refusals,
            code: Vec::with_capacity(128),
            held: Vec::new(),
            met: Vec::new(),
            count: 0,
            marks: Vec::new(),
            past: Vec::new(),
            encode_message,
            ages: false,
            late_echo: false,
            reads_absorbed: false,
            compares_ages,
            compares_nodes: false,
            compares_refusals: false,
            times_out: false,
            tokens: None,
            emitted: &[],
        }
    }

    /// Returns an encoder of a network, of which all rings are written, one behind the other.
    pub(crate) fn of_network(self) -> Self {
        Self { is_network: true, ..self }
    }

    /// The state of another ring follows, with packets of its own.
    pub(crate) fn enter_ring(&mut self, arena: &'a Packets, first_node: u32) {
        self.arena = arena;
        self.first_node = first_node;
        self.met.clear();
        self.count = 0;
    }

    /// Counts so many tokens here, of which a ring at rest has one.
    pub(crate) fn count_tokens(&mut self, tokens: u32) {
        *self.tokens.get_or_insert_default() += tokens;
    }

    /// All of a ring has been written.
    pub(crate) fn leave_ring(&mut self) {
        let tokens = self.tokens.take();
        self.held("no SAT", tokens == Some(0));
        self.held("several SATs", tokens.is_some_and(|tokens| tokens > 1));
    }

    /// The state of the node at this place of the ring follows.
    pub(crate) fn enter_node(&mut self, place: u16) {
        self.node = self.first_node + u32::from(place);
        // Its protocol may be another one than that of the node before.
        self.late_echo = false;
        self.encode_message = encode_message;
    }

    /// A packet of the ring.
    pub(crate) fn packet_at(&self, index: u32) -> &'a Packet {
        &self.arena[index]
    }

    pub(crate) fn put(&mut self, value: impl Into<u64>) {
        self.code.push(value.into());
    }

    /// The length of what follows.
    pub(crate) fn len(&mut self, len: usize) {
        self.put(len as u64);
    }

    /// A cycle in which something is due: what is past is due now, and no simulation reaches [`MAX_CYCLES`].
    pub(crate) fn due(&mut self, cycle: u64) {
        self.put(if cycle >= MAX_CYCLES { NEVER } else { cycle.saturating_sub(self.now) });
    }

    /// The next cycle in which a transmit queue looks at its head again. It follows from what else is written, but for
    /// time-outs that do nothing: where there may be any, it is no part of the state.
    pub(crate) fn next_event(&mut self, cycle: u64) {
        if !self.times_out {
            self.due(cycle);
        }
    }

    /// A time in picoseconds in which something is due, where a cycle has so many picoseconds.
    pub(crate) fn due_ps(&mut self, time_ps: u64, cycle_ps: u64) {
        self.put(time_ps.saturating_sub(self.now * cycle_ps));
    }

    /// Is a cycle the present one, or past?
    pub(crate) fn has_come(&self, cycle: u64) -> bool {
        cycle <= self.now
    }

    /// The cycle of a source's next arrival. What is drawn at random never repeats: the cycle itself says how far the
    /// stream of random numbers has been read.
    pub(crate) fn arrival(&mut self, cycle: u64, is_random: bool) {
        if is_random { self.put(cycle) } else { self.due(cycle) }
    }

    /// A past cycle of which the exact age counts.
    pub(crate) fn age(&mut self, cycle: u64) {
        self.put(self.since(cycle));
    }

    /// Cycles since a past one.
    pub(crate) fn since(&self, cycle: u64) -> u64 {
        self.now.wrapping_sub(cycle)
    }

    /// A schedule, of which the steps that are still to come count.
    pub(crate) fn steps(&mut self, steps: &[(u64, u8)]) {
        let to_come = &steps[steps.partition_point(|step| step.0 < self.now)..];
        self.len(to_come.len());
        to_come.iter().for_each(|step| self.due(step.0));
    }

    /// The cycle in which something began that will be counted. It is no part of the state.
    pub(crate) fn counted(&mut self, began: u64) {
        self.marks.push(Mark { began, tally: 0 });
    }

    /// The cycle in which something began that will be counted, if it has; else [`NEVER`].
    pub(crate) fn since_when(&mut self, cycle: u64) {
        if cycle == NEVER { self.tally(self.now, NEVER) } else { self.counted(cycle) }
    }

    /// Notes another figure that will be counted of what began in a cycle.
    pub(crate) fn tally(&mut self, began: u64, tally: u64) {
        self.marks.push(Mark { began, tally });
    }

    /// The cycle in which a packet that waits at the node was generated.
    pub(crate) fn generated(&mut self, cycle: u64) {
        self.counted(cycle);
        if self.is_network || self.compares_ages {
            // An interface with slots compares it with the cycles of busy echoes, too.
            self.order(self.aged_with(self.node), 0, cycle);
        } else {
            self.due(cycle.saturating_add(1));
        }
    }

    /// The cycle in which a packet that a place of the ring sends was generated.
    pub(crate) fn generated_at(&mut self, place: u16, cycle: u64) {
        self.counted(cycle);
        if self.compares_ages {
            self.order(self.aged_with(self.first_node + u32::from(place)), 0, cycle);
        } else {
            // What arrives in the present cycle, too, may still go before it.
            self.due(cycle.saturating_add(1));
        }
    }

    /// The ages of all packets of the ring are compared.
    pub(crate) fn compare_ages_on_ring(&mut self) {
        (self.compares_ages, self.compares_nodes) = (true, true);
    }

    /// The node with whose packets those of a node are compared: one stands for all of a ring.
    fn aged_with(&self, node: u32) -> u32 {
        if self.compares_nodes { self.first_node } else { node }
    }

    /// The cycle in which a packet of the ring was generated, wherever it waits.
    pub(crate) fn generated_on_ring(&mut self, cycle: u64) {
        self.order(self.aged_with(self.node), 0, cycle);
    }

    /// The cycle of a busy echo of the node.
    pub(crate) fn refused(&mut self, cycle: u64) {
        self.order(self.aged_with(self.node), u8::from(!self.is_network), cycle);
    }

    /// A cycle that is only compared with others of this kind at the same node, and with later ones.
    fn order(&mut self, node: u32, kind: u8, time: u64) {
        if time < self.now {
            self.past.push(Past { kind: (node, kind), time, place: self.code.len() });
            self.put(0u64);
        } else {
            self.put(PRESENT + (time - self.now));
        }
    }

    /// The number of refusals of a packet.
    pub(crate) fn refusals(&mut self, refusals: u32) {
        self.put(if self.counts_refusals { refusals } else { refusals.min(1) });
    }

    /// The content of the symbols of a run.
    pub(crate) fn content(&mut self, run: &Run) {
        match run.kind {
            Kind::Idle => self.put(run.value),
            Kind::Message => (self.encode_message)(run, self),
            Kind::Freed => {}
            _ => self.packet(run.value),
        }
    }

    /// The runs that the last node of a ring has emitted and the first one does not hold yet. How they are shared out
    /// depends on where a visit of all nodes began, which changes nothing.
    pub(crate) fn emitted_to_first(&mut self, runs: &'a [Run]) {
        self.emitted = runs;
    }

    /// The runs on a node's link, however a stretch of equal idles was put together.
    pub(crate) fn runs<'b>(&mut self, held: impl Iterator<Item = &'b Run>) {
        let mut runs = held.copied().chain(std::mem::take(&mut self.emitted).iter().copied()).peekable();
        while let Some(mut run) = runs.next() {
            while run.kind == Kind::Idle
                && let Some(more) = runs.next_if(|next| next.kind == Kind::Idle && next.value == run.value)
            {
                run.len += more.len;
            }
            run.encode(self);
        }
        // An end in place of a length, which is not known before idles are joined. No run is of this kind.
        self.put(u64::MAX);
    }

    /// A packet: its number, and when it is met for the first time all of it.
    pub(crate) fn packet(&mut self, index: u32) {
        if index == UNDRAWN {
            // Neither this nor the mark of a packet that is met for the first time, below, is the number of one.
            return self.put(u64::MAX - 1);
        }
        let place = index as usize;
        if place >= self.met.len() {
            self.met.resize(place + 1, 0);
        }
        if self.met[place] > 0 {
            return self.put(self.met[place] - 1);
        }
        self.count += 1;
        self.met[place] = self.count;
        self.put(u64::MAX);
        let arena = self.arena;
        arena[index].encode(self);
    }

    /// Packets, by their indices.
    pub(crate) fn packets(&mut self, indices: &impl Indices) {
        indices.encode(self);
    }

    /// Activities hand packets in, the next one with this number.
    pub(crate) fn number_from(&mut self, next: Option<u32>) {
        self.next_number = next;
    }

    /// The number of a packet that was handed in, relative to the next one: it is the same a period later.
    pub(crate) fn handed_in(&mut self, number: u32) {
        self.put(self.next_number.map_or(0, |next| next.wrapping_sub(number)));
    }

    /// Something is under way that it does not tell of.
    pub(crate) fn lacks_something(&mut self) {
        self.is_whole = false;
    }

    /// A message's number among those of its flow that are not complete; 0 for a flow of single packets, and where no
    /// packet is under way.
    pub(crate) fn message(&mut self, flow: u32, message: u32) {
        let first = self.first_open.get(flow as usize).copied().flatten();
        self.put(first.map_or(0, |first| message.wrapping_sub(first)));
    }

    /// Is this not at rest?
    pub(crate) fn held(&mut self, what: &'static str, is_held: bool) {
        if is_held && !self.held.contains(&what) {
            self.held.push(what);
        }
    }

    pub(crate) fn finish(mut self) -> (State, Moment) {
        self.past.sort_unstable_by_key(|past| (past.kind, past.time));
        let mut rank = 0;
        for (index, past) in self.past.iter().enumerate() {
            let before = index.checked_sub(1).map(|before| &self.past[before]);
            rank = match before {
                Some(before) if before.kind == past.kind => rank + u64::from(before.time != past.time),
                _ => 0,
            };
            self.code[past.place] = rank;
        }
        let Self { is_whole, .. } = self;
        let moment = Moment { cycle: self.now, code: self.code.clone(), marks: self.marks, is_whole };
        (State { code: self.code, held: self.held }, moment)
    }
}
