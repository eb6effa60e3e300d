//! The observer that keeps what it sees: everything that happens in a window of time, in order.
//!
//! What is recorded depends on the spec and the window only, not on the steps in which the simulation is advanced.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::results::observe::{
    Activity, BypassEntry, Bypassed, CopyView, Emission, ErrorKind, Filling, Moved, Observer, PacketView, Queue,
    Symbols, UNKNOWN,
};
use crate::spec::{Clock, MAX_FRAMING_SYMBOLS, NetworkSpec, SpecError};

/// The kinds of runs of symbols in a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum RunKind {
    /// Equal idles.
    Idle = 0,
    /// A send packet, first transmission.
    Send = 1,
    /// A send packet sent again.
    Retry = 2,
    /// An echo that says accepted.
    Echo = 3,
    /// An echo that says busy.
    BusyEcho = 4,
    /// A message of the protocol that says 32 bits.
    Control = 5,
    /// A message of the protocol that goes round and is rewritten at each node: a train.
    Train = 6,
    /// A message of the protocol about a packet: an event.
    Event = 7,
}

/// A run of symbols on a node's output link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkRun {
    /// The node.
    pub node: u32,
    /// Cycle of the first symbol.
    pub cycle: u64,
    /// Symbols; on a slower ring of a network the cycles that they take.
    pub count: u32,
    /// Kind of the symbols.
    pub kind: RunKind,
    /// Activity of the node meanwhile.
    pub activity: Activity,
    /// Idles: their state. Control symbols: their 32 bits. Events: the priority inherited. Else 0.
    pub word: u32,
    /// Number of the packet that it is or is about.
    pub packet: Option<u32>,
    /// Node that made a control symbol or an event.
    pub maker: Option<u32>,
    /// Interface that takes the symbols off this ring, of packets and echoes.
    pub target: Option<u32>,
}

/// A stay in a bypass FIFO.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stay {
    /// The node.
    pub node: u32,
    /// Cycle in which the first symbol comes in.
    pub cycle: u64,
    /// Symbols that come in, or the cycles that they take; of a message that is rewritten those that it has when it
    /// leaves.
    pub count: u32,
    /// Kind of the symbols.
    pub kind: RunKind,
    /// Number of the packet that it is or answers.
    pub packet: Option<u32>,
    /// Cycle in which the first symbol leaves, and how many do.
    pub leaves: Option<(u64, u32)>,
    /// Cycle in which a busy echo took its place, if it was preempted; known once that leaves.
    pub replaced: Option<u64>,
}

/// The key of a packet: flow, message, part, response.
type Key = (u32, u32, u16, bool);

/// Something that changes, of one node: its value from a cycle on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change<T> {
    /// The node.
    pub node: u32,
    /// The cycle.
    pub cycle: u64,
    /// The value.
    pub value: T,
}

/// The things that happen to a packet besides being on a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Fate {
    /// The destination's input queue accepts the packet: its first symbol arrives.
    Accepted = 0,
    /// The destination's input queue refuses the packet.
    Refused = 1,
    /// The echo that says accepted takes effect at its source.
    Acknowledged = 2,
    /// The busy echo takes effect at its source.
    Returned = 3,
    /// The packet's service ends.
    Delivered = 4,
    /// The packet is lost on the link to here.
    LostSend = 5,
    /// The packet's echo is lost on the link to here.
    LostEcho = 6,
    /// The packet's sender times out, and sends it again.
    TimedOut = 7,
    /// The packet's sender times out, and gives it up.
    GivenUp = 8,
    /// The packet's service ends where a copy of it was delivered before.
    Dropped = 9,
}

/// A packet's way over a B-Link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// The switch.
    pub switch: u32,
    /// Number of the B-Link at the switch.
    pub link: u16,
    /// Interface whose receive buffer it leaves.
    pub entry: u32,
    /// Interface from which it goes on.
    pub exit: u32,
    /// Number of the packet.
    pub packet: u32,
    /// Time from which on it might have been moved, in picoseconds from cycle 0.
    pub ready_ps: u64,
    /// Time in which the B-Link is granted.
    pub start_ps: u64,
    /// Time in which it, and the receive buffer, are free again.
    pub end_ps: u64,
}

/// A packet's way over its host's bus into a transmit slot. Times are in picoseconds from cycle 0; what was before the
/// recorder saw it, or is behind the window, is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fill {
    /// The node.
    pub node: u32,
    /// Number of the packet.
    pub packet: u32,
    /// Cycle in which a request took its slot, or in which a response was made.
    pub taken: Option<u64>,
    /// Time in which the bus is requested: a master has set the packet up before.
    pub asked_ps: Option<u64>,
    /// Time from which on the bus is the packet's, and from which on it is free again.
    pub bus_ps: Option<(u64, u64)>,
    /// Cycle from which on the packet may be sent.
    pub ready: Option<u64>,
}

/// Something that happens to a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// Node at which it happens.
    pub node: u32,
    /// Cycle in which it happens.
    pub cycle: u64,
    /// Fate of the packet.
    pub fate: Fate,
    /// Number of the packet.
    pub packet: u32,
}

/// A record of a window of time. Nodes of a network have their own numbers, and its ports those behind them,
/// ring by ring in the order of places; the second interface of a node has the number of the node and that of nodes
/// together. Everything is in order of node and cycle; of what changes the first entry of a
/// node is of the window's start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recording {
    /// First cycle of the window.
    pub from: u64,
    /// Cycle behind the window.
    pub to: u64,
    /// Runs on the links in the window; packets may reach beyond it.
    pub runs: Vec<LinkRun>,
    /// Stays in bypass FIFOs.
    pub stays: Vec<Stay>,
    /// Packets named by the others, the oldest first, as their sources saw them when they were head last. A packet's
    /// number is its place.
    pub packets: Vec<PacketView>,
    /// Heads of the transmit queues.
    pub heads: Vec<Change<Option<u32>>>,
    /// Lengths of the transmit queues.
    pub transmit_lengths: Vec<Change<u64>>,
    /// Packets in the receive queues.
    pub receive_lengths: Vec<Change<u64>>,
    /// Go bits that the nodes withhold.
    pub withheld: Vec<Change<u32>>,
    /// Events of packets.
    pub events: Vec<Event>,
    /// Transfers by switches in the window, in order of time, then of entry.
    pub transfers: Vec<Transfer>,
    /// Requests that wait for transmit slots, of nodes whose hosts have any.
    pub slot_lengths: Vec<Change<u64>>,
    /// Packets that come into transmit slots of hosts, in the order in which they took them.
    pub fills: Vec<Fill>,
}

/// The data that is kept while the simulation runs.
#[derive(Debug, Default)]
struct Log {
    from: u64,
    to: u64,
    recording: Recording,
    /// Are there rings whose responses may come from elsewhere?
    in_network: bool,
    lengths: [Vec<Change<i64>>; 3],
    numbers: HashMap<Key, u32>,
    /// Cycle and node at which each packet was seen as `packets` says; [`OWN`]: as head at its source.
    seen: Vec<(u64, u32)>,
    /// Copies that were dropped, and the interfaces at which.
    dropped: Vec<(u32, Key)>,
    /// Indices in `stays` of what is in the bypass FIFO of each node.
    inside: HashMap<u32, Vec<usize>>,
}

/// Cycle and node, before all others, that stand for a packet seen as head at its source.
const OWN: (u64, u32) = (0, 0);

/// Records a window of time. A clone records to the same place.
#[derive(Debug, Clone)]
pub struct Recorder {
    log: Arc<Mutex<Log>>,
    /// Numbers of a ring's interfaces in its network; of a single ring their places.
    interfaces: Option<Arc<[u32]>>,
    clock: Clock,
}

impl Recorder {
    /// Records from cycle `from` to before cycle `to`. It has to see the simulation from
    /// [`lead_cycles_of`](Self::lead_cycles_of) before, since nodes emit whole packets at once.
    pub fn new(from: u64, to: u64) -> Self {
        Self { log: Arc::new(Mutex::new(Log { from, to, ..Log::default() })), interfaces: None, clock: Clock::new(1) }
    }

    /// Cycles by which a node may be ahead of the others; in a network, by which what a B-Link carries may be, too.
    ///
    /// # Errors
    /// The flow-control options cannot be simulated.
    pub fn lead_cycles_of(spec: &NetworkSpec) -> Result<u64, SpecError> {
        let rings = spec.network.iter().flat_map(|network| &network.rings);
        let symbol = u64::from(rings.map(|ring| ring.symbol_cycles).max().unwrap_or(1));
        let longest = spec.longest_symbols().max(spec.format.max_send_symbols() + MAX_FRAMING_SYMBOLS);
        let ahead = spec.limits()?.longest_message_symbols.max(longest.into()) + 2;
        let held = spec.network.iter().flat_map(|network| {
            network
                .switch_kinds
                .iter()
                .map(|kind| kind.hold_ps(longest * spec.format.symbol_bytes()).div_ceil(network.symbol_ps))
        });
        // Cut through, a B-Link is held while a packet comes in, too.
        Ok(ahead * symbol + held.max().map_or(0, |held| held + u64::from(longest) * symbol))
    }

    /// Takes what has been recorded; the recorder is empty then.
    pub fn finish(&self) -> Recording {
        let mut log = self.log();
        let (from, to, in_network) = (log.from, log.to, log.in_network);
        std::mem::replace(&mut *log, Log { from, to, in_network, ..Log::default() }).finish()
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Log {
    /// A packet's number. What is kept of it does not depend on which ring of a network is simulated first: it is as
    /// its source saw it when it was head last, else as it was seen first.
    fn number(&mut self, view: PacketView, at: (u64, u32)) -> u32 {
        let (packets, seen) = (&mut self.recording.packets, &mut self.seen);
        let number = *self.numbers.entry((view.flow, view.message, view.part, view.response)).or_insert_with(|| {
            packets.push(view);
            seen.push(at);
            packets.len() as u32 - 1
        });
        let place = number as usize;
        let kept = &mut packets[place];
        let source = if kept.source == UNKNOWN { view.source } else { kept.source };
        if at < seen[place] || at == OWN {
            (*kept, seen[place]) = (view, at);
        }
        kept.source = source;
        number
    }

    fn describe(&mut self, symbols: Symbols, at: (u64, u32)) -> (RunKind, u32, Option<u32>, Option<u32>) {
        match symbols {
            Symbols::Idles(word) => (RunKind::Idle, word, None, None),
            Symbols::Send(packet) => (RunKind::Send, 0, Some(self.number(packet, at)), None),
            Symbols::Retry(packet) => (RunKind::Retry, 0, Some(self.number(packet, at)), None),
            Symbols::Echo(packet, true) => (RunKind::Echo, 0, Some(self.number(packet, at)), None),
            Symbols::Echo(packet, false) => (RunKind::BusyEcho, 0, Some(self.number(packet, at)), None),
            Symbols::Control { maker, bits } => (RunKind::Control, bits, None, Some(maker)),
            Symbols::Train => (RunKind::Train, 0, None, None),
            Symbols::Event { maker, packet, priority } => {
                (RunKind::Event, priority.into(), Some(self.number(packet, at)), Some(maker))
            }
        }
    }

    fn emitted(&mut self, emission: &Emission) {
        let &Emission { node, cycle, count, symbols, target, activity, bypassed } = emission;
        let (kind, word, packet, maker) = self.describe(symbols, (cycle, node));
        if let Some(bypassed) = bypassed {
            self.leaves(node, bypassed, (cycle, count));
        }
        self.recording.runs.push(LinkRun { node, cycle, count, kind, activity, word, packet, maker, target });
    }

    /// Something leaves a bypass FIFO.
    fn leaves(&mut self, node: u32, bypassed: Bypassed, leaves: (u64, u32)) {
        let inside = self.inside.entry(node).or_default();
        // The cycle says which: no two packets begin to come in at a node in one cycle.
        if let Some(place) = inside.iter().position(|&stay| self.recording.stays[stay].cycle == bypassed.arrived) {
            let stay = inside.remove(place);
            let stay = &mut self.recording.stays[stay];
            (stay.leaves, stay.replaced) = (Some(leaves), bypassed.replaced);
        }
    }

    fn bypassed(&mut self, entry: &BypassEntry) {
        let &BypassEntry { node, cycle, count, symbols } = entry;
        let (kind, _, packet, _) = self.describe(symbols, (cycle, node));
        self.inside.entry(node).or_default().push(self.recording.stays.len());
        self.recording.stays.push(Stay { node, cycle, count, kind, packet, leaves: None, replaced: None });
    }

    /// Finds the senders of responses: a response comes from the node that its request was for.
    fn find_responders(&mut self) {
        for place in 0..self.recording.packets.len() {
            let PacketView { flow, message, part, response, source, .. } = self.recording.packets[place];
            if response
                && source == UNKNOWN
                && let Some(&request) = self.numbers.get(&(flow, message, part, false))
            {
                self.recording.packets[place].source = self.recording.packets[request as usize].destination;
            }
        }
    }

    fn moved(&mut self, moved: &Moved) {
        let &Moved { switch, link, entry, exit, packet, ready_ps, start_ps, end_ps, cycles: (start, end) } = moved;
        if start < self.to && end > self.from {
            let packet = self.number(packet, (start, entry));
            let transfer = Transfer { switch, link, entry, exit, packet, ready_ps, start_ps, end_ps };
            self.recording.transfers.push(transfer);
        }
    }

    fn event(&mut self, node: u32, cycle: u64, fate: Fate, packet: PacketView) {
        let packet = self.number(packet, (cycle, node));
        self.recording.events.push(Event { node, cycle, fate, packet });
    }

    /// Says of copies whose service has ended that they were dropped.
    fn drop_copies(&mut self) {
        for (node, key) in std::mem::take(&mut self.dropped) {
            let Some(&packet) = self.numbers.get(&key) else { continue };
            let is_copy =
                |event: &&mut Event| (event.node, event.packet, event.fate) == (node, packet, Fate::Delivered);
            self.recording.events.iter_mut().filter(is_copy).for_each(|event| event.fate = Fate::Dropped);
        }
    }

    fn finish(mut self) -> Recording {
        let (from, to, in_network) = (self.from, self.to, self.in_network);
        self.find_responders();
        self.drop_copies();
        let mut recording = self.recording;
        (recording.from, recording.to) = (from, to);
        recording.runs.retain(|run| run.cycle < to && run.cycle + u64::from(run.count) > from);
        recording.runs.sort_by_key(|run| (run.node, run.cycle));
        join_idles(&mut recording.runs);
        for run in recording.runs.iter_mut().filter(|run| run.kind == RunKind::Idle) {
            let end = (run.cycle + u64::from(run.count)).min(to);
            run.cycle = run.cycle.max(from);
            run.count = (end - run.cycle) as u32;
        }
        recording.stays.retain(|stay| {
            let gone = |(cycle, count): (u64, u32)| cycle + u64::from(count) < from;
            stay.cycle < to && !stay.leaves.is_some_and(gone)
        });
        recording.stays.sort_by_key(|stay| (stay.node, stay.cycle));
        for stay in &mut recording.stays {
            stay.leaves = stay.leaves.filter(|leaves| leaves.0 < to);
            stay.replaced = stay.replaced.filter(|&replaced| replaced < to);
        }
        recording.heads = changes(std::mem::take(&mut recording.heads), from, to);
        recording.withheld = changes(std::mem::take(&mut recording.withheld), from, to);
        let [transmit, receive, slot] = std::mem::take(&mut self.lengths).map(|joins| lengths(joins, from, to));
        (recording.transmit_lengths, recording.receive_lengths, recording.slot_lengths) = (transmit, receive, slot);
        recording.sort_fills();
        recording.events.retain(|event| (from..to).contains(&event.cycle));
        recording.events.sort_by_key(|event| (event.node, event.cycle, event.fate));
        recording.transfers.sort_by_key(|transfer| (transfer.start_ps, transfer.entry, transfer.link));
        recording.number_by_age(in_network);
        recording
    }
}

/// Joins equal idles that follow each other, so that a recording does not show how they were put together.
fn join_idles(runs: &mut Vec<LinkRun>) {
    runs.dedup_by(|run, before| {
        let same = |run: &LinkRun| (run.node, run.kind, run.word, run.activity);
        let joins = run.kind == RunKind::Idle
            && same(run) == same(before)
            && before.cycle + u64::from(before.count) == run.cycle
            && before.count.checked_add(run.count).is_some();
        if joins {
            before.count += run.count;
        }
        joins
    });
}

/// The changes within the window, and each node's value at its start.
fn changes<T: Copy + PartialEq>(mut all: Vec<Change<T>>, from: u64, to: u64) -> Vec<Change<T>> {
    all.retain(|change| change.cycle < to);
    all.sort_by_key(|change| (change.node, change.cycle));
    let mut kept: Vec<Change<T>> = Vec::new();
    for change in all {
        let change = Change { cycle: change.cycle.max(from), ..change };
        match kept.last_mut().filter(|last| last.node == change.node) {
            // The last word of a cycle counts.
            Some(last) if last.cycle == change.cycle => last.value = change.value,
            _ => kept.push(change),
        }
    }
    // Observers are told a value again whenever it may have changed.
    kept.dedup_by(|change, before| (change.node, change.value) == (before.node, before.value));
    kept
}

/// Lengths from entries and exits.
fn lengths(mut joins: Vec<Change<i64>>, from: u64, to: u64) -> Vec<Change<u64>> {
    joins.sort_by_key(|change| (change.node, change.cycle));
    let mut length = 0;
    let mut node = None;
    let sums = joins.into_iter().map(|join| {
        length = if node == Some(join.node) { length + join.value } else { join.value };
        node = Some(join.node);
        Change { node: join.node, cycle: join.cycle, value: length.max(0) as u64 }
    });
    changes(sums.collect(), from, to)
}

impl Recording {
    /// Keeps of each filling what was said last, if it is in the window.
    fn sort_fills(&mut self) {
        let from = self.from;
        // What is said again is the same filling: a packet has one slot at a time.
        self.fills.sort_by_key(|fill| (fill.node, fill.taken, fill.packet));
        self.fills.dedup_by(|later, kept| {
            let same = (later.node, later.taken, later.packet) == (kept.node, kept.taken, kept.packet);
            if same {
                *kept = *later;
            }
            same
        });
        self.fills.retain(|fill| fill.ready.is_none_or(|ready| ready > from));
    }

    /// Keeps the packets that the window names, the oldest first, and says their new numbers everywhere.
    fn number_by_age(&mut self, in_network: bool) {
        let mut named = vec![false; self.packets.len()];
        let in_runs = self.runs.iter().filter_map(|run| run.packet);
        let in_stays = self.stays.iter().filter_map(|stay| stay.packet);
        let in_heads = self.heads.iter().filter_map(|change| change.value);
        let in_events = self.events.iter().map(|event| event.packet);
        let in_transfers = self.transfers.iter().map(|transfer| transfer.packet);
        let in_fills = self.fills.iter().map(|fill| fill.packet);
        in_runs
            .chain(in_stays)
            .chain(in_heads)
            .chain(in_events)
            .chain(in_transfers)
            .chain(in_fills)
            .for_each(|number| named[number as usize] = true);
        let mut order: Vec<u32> = (0..self.packets.len() as u32).filter(|&number| named[number as usize]).collect();
        order.sort_by_key(|&number| {
            let PacketView { generated, source, flow, response, message, part, .. } = self.packets[number as usize];
            // Who has sent a response is not known in every window.
            let source = if in_network && response { UNKNOWN } else { source };
            (generated, source, flow, response, message, part)
        });
        let mut renumbered = vec![0; self.packets.len()];
        (0..).zip(&order).for_each(|(new, &old)| renumbered[old as usize] = new);
        let rename = |number: &mut u32| *number = renumbered[*number as usize];
        self.runs.iter_mut().filter_map(|run| run.packet.as_mut()).for_each(rename);
        self.stays.iter_mut().filter_map(|stay| stay.packet.as_mut()).for_each(rename);
        self.heads.iter_mut().filter_map(|change| change.value.as_mut()).for_each(rename);
        self.events.iter_mut().for_each(|event| rename(&mut event.packet));
        self.transfers.iter_mut().for_each(|transfer| rename(&mut transfer.packet));
        self.fills.iter_mut().for_each(|fill| rename(&mut fill.packet));
        self.packets = order.iter().map(|&old| self.packets[old as usize]).collect();
    }
}

impl Recorder {
    /// An interface's number.
    fn number(&self, node: u32) -> u32 {
        self.interfaces.as_ref().map_or(node, |numbers| numbers[node as usize])
    }

    /// Cycles of the network that so many symbols take, at most [`Self::most_symbols`] of them.
    fn count(&self, symbols: u32) -> u32 {
        u32::try_from(self.clock.cycles(symbols.into())).unwrap_or(u32::MAX)
    }

    /// Most symbols whose cycles a count of a recording holds.
    fn most_symbols(&self) -> u32 {
        u32::MAX / self.count(1).max(1)
    }

    fn symbols(&self, symbols: Symbols) -> Symbols {
        match symbols {
            Symbols::Control { maker, bits } => Symbols::Control { maker: self.number(maker), bits },
            Symbols::Event { maker, packet, priority } => {
                Symbols::Event { maker: self.number(maker), packet, priority }
            }
            other => other,
        }
    }

    /// Notes an emission of at most [`Self::most_symbols`].
    fn note_emitted(&self, emission: &Emission) {
        let node = self.number(emission.node);
        let target = emission.target.map(|target| self.number(target));
        let (cycle, count) = (self.clock.cycles(emission.cycle), self.count(emission.count));
        let bypassed = emission.bypassed.map(|bypassed| Bypassed {
            arrived: self.clock.cycles(bypassed.arrived),
            replaced: bypassed.replaced.map(|replaced| self.clock.cycles(replaced)),
        });
        let symbols = self.symbols(emission.symbols);
        self.log().emitted(&Emission { node, cycle, count, symbols, target, bypassed, ..*emission });
    }

    fn event(&self, node: u32, time: u64, fate: Fate, packet: PacketView) {
        self.log().event(self.number(node), self.clock.cycles(time), fate, packet);
    }
}

impl Observer for Recorder {
    const SEES_IDLES: bool = true;
    const SEES_SYMBOLS: bool = true;

    fn of_ring(&self, interfaces: &[u32], clock: Clock) -> Self {
        self.log().in_network = true;
        Self { interfaces: Some(interfaces.into()), clock, ..self.clone() }
    }

    fn emitted(&mut self, emission: &Emission) {
        let most = self.most_symbols();
        let mut left = *emission;
        // Idles of a long link of a slow ring may be more cycles than a run of the recording has.
        while left.count > most {
            self.note_emitted(&Emission { count: most, ..left });
            left = Emission { cycle: left.cycle + u64::from(most), count: left.count - most, ..left };
        }
        self.note_emitted(&left);
    }

    fn bypassed(&mut self, entry: &BypassEntry) {
        let (node, symbols) = (self.number(entry.node), self.symbols(entry.symbols));
        let (cycle, count) = (self.clock.cycles(entry.cycle), self.count(entry.count));
        self.log().bypassed(&BypassEntry { node, cycle, count, symbols });
    }

    fn head(&mut self, node: u32, cycle: u64, head: Option<PacketView>) {
        let (node, cycle) = (self.number(node), self.clock.cycles(cycle));
        let mut log = self.log();
        let value = head.map(|packet| {
            let at = if packet.source == node { OWN } else { (cycle, node) };
            log.number(packet, at)
        });
        log.recording.heads.push(Change { node, cycle, value });
    }

    fn queued(&mut self, node: u32, queue: Queue, cycle: u64, joins: i64) {
        let (node, cycle) = (self.number(node), self.clock.cycles(cycle));
        self.log().lengths[queue as usize].push(Change { node, cycle, value: joins });
    }

    fn withheld(&mut self, node: u32, cycle: u64, word: u32) {
        let (node, cycle) = (self.number(node), self.clock.cycles(cycle));
        self.log().recording.withheld.push(Change { node, cycle, value: word });
    }

    fn received(&mut self, node: u32, cycle: u64, packet: PacketView, accepted: bool) {
        self.event(node, cycle, if accepted { Fate::Accepted } else { Fate::Refused }, packet);
    }

    fn echoed(&mut self, node: u32, cycle: u64, packet: PacketView, accepted: bool) {
        self.event(node, cycle, if accepted { Fate::Acknowledged } else { Fate::Returned }, packet);
    }

    fn served(&mut self, node: u32, cycle: u64, packet: PacketView) {
        self.event(node, cycle, Fate::Delivered, packet);
    }

    fn dropped(&mut self, node: u32, packet: CopyView) {
        let CopyView { flow, message, part, response } = packet;
        self.log().dropped.push((node, (flow, message, part, response)));
    }

    fn erred(&mut self, node: u32, cycle: u64, packet: PacketView, error: ErrorKind) {
        let fate = match error {
            ErrorKind::LostSend => Fate::LostSend,
            ErrorKind::LostEcho => Fate::LostEcho,
            ErrorKind::TimedOut => Fate::TimedOut,
            ErrorKind::GivenUp => Fate::GivenUp,
        };
        self.event(node, cycle, fate, packet);
    }

    fn filled(&mut self, node: u32, filling: &Filling) {
        let (node, mut log) = (self.number(node), self.log());
        let &Filling { cycle, packet, taken, asked_ps, bus_ps, ready } = filling;
        let cycle = self.clock.cycles(cycle);
        if cycle < log.to {
            let in_network = |cycle: Option<u64>| cycle.map(|cycle| self.clock.cycles(cycle));
            let packet = log.number(packet, (cycle, node));
            let (taken, ready) = (in_network(taken), in_network(ready));
            log.recording.fills.push(Fill { node, packet, taken, asked_ps, bus_ps, ready });
        }
    }

    fn moved(&mut self, moved: &Moved) {
        self.log().moved(moved);
    }
}
