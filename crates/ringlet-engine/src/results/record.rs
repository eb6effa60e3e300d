//! The observer that keeps what it sees: everything that happens in a window of time, in order.
//!
//! What is recorded depends on the spec and the window only, not on the steps in which the simulation is advanced.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::results::observe::{Activity, BypassEntry, Bypassed, Emission, Observer, PacketView, Queue, Symbols};
use crate::spec::{MAX_FRAMING_SYMBOLS, MAX_SEND_SYMBOLS, NetworkSpec};

/// What a run of symbols is, in a recording.
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
    /// A control symbol (DFC).
    Control = 5,
    /// The train (TRAIN).
    Train = 6,
    /// An event message (PPQ).
    Event = 7,
}

/// A run of symbols on a node's output link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkRun {
    /// The node.
    pub node: u32,
    /// Cycle of the first symbol.
    pub cycle: u64,
    /// Symbols.
    pub count: u32,
    /// What they are.
    pub kind: RunKind,
    /// What the node does meanwhile.
    pub activity: Activity,
    /// Idles: their state. Control symbols: their 32 bits. Events: the priority inherited. Else 0.
    pub word: u32,
    /// Number of the packet that it is or is about.
    pub packet: Option<u32>,
    /// Node that made a control symbol or an event.
    pub maker: Option<u32>,
}

/// A stay in a bypass FIFO.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stay {
    /// The node.
    pub node: u32,
    /// Cycle in which the first symbol comes in.
    pub cycle: u64,
    /// Symbols that come in; of a train those that it has when it leaves.
    pub count: u32,
    /// What they are.
    pub kind: RunKind,
    /// Number of the packet that it is or answers.
    pub packet: Option<u32>,
    /// Cycle in which the first symbol leaves, and how many do.
    pub leaves: Option<(u64, u32)>,
    /// PPQ: cycle in which a busy echo took its place; known once that leaves.
    pub replaced: Option<u64>,
}

/// Which packet it is: flow, message, part, response.
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

/// What may happen to a packet besides being on a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Fate {
    /// Its destination's input queue accepts it: its first symbol arrives.
    Accepted = 0,
    /// It refuses it.
    Refused = 1,
    /// The echo that says accepted takes effect at its source.
    Acknowledged = 2,
    /// The busy echo does.
    Returned = 3,
    /// Its service ends.
    Delivered = 4,
}

/// Something that happens to a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// Where.
    pub node: u32,
    /// When.
    pub cycle: u64,
    /// What.
    pub fate: Fate,
    /// To which packet.
    pub packet: u32,
}

/// What has happened in a window of time. Everything is in order of node and cycle; of what changes the first entry of a node is of the window's start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recording {
    /// First cycle of the window.
    pub from: u64,
    /// Cycle behind the window.
    pub to: u64,
    /// What is on the links in the window; packets may reach beyond it.
    pub runs: Vec<LinkRun>,
    /// Stays in bypass FIFOs.
    pub stays: Vec<Stay>,
    /// Packets named by the others, the oldest first, as their sources saw them when they were head last. A packet's number is its place.
    pub packets: Vec<PacketView>,
    /// Heads of the transmit queues.
    pub heads: Vec<Change<Option<u32>>>,
    /// Lengths of the transmit queues.
    pub transmit_lengths: Vec<Change<u64>>,
    /// Packets in the receive queues.
    pub receive_lengths: Vec<Change<u64>>,
    /// Go bits that the nodes withhold.
    pub withheld: Vec<Change<u32>>,
    /// What happens to packets.
    pub events: Vec<Event>,
}

/// What is kept while the simulation runs.
#[derive(Debug, Default)]
struct Log {
    from: u64,
    to: u64,
    recording: Recording,
    lengths: [Vec<Change<i64>>; 2],
    numbers: HashMap<Key, u32>,
    /// Per node: places in `stays` of what is in its bypass FIFO.
    inside: HashMap<u32, Vec<usize>>,
}

/// Records a window of time. A clone records to the same place.
#[derive(Debug, Clone)]
pub struct Recorder(Arc<Mutex<Log>>);

impl Recorder {
    /// Records from cycle `from` to before cycle `to`. It has to see the simulation from [`lead_cycles`](Self::lead_cycles) before, since nodes emit whole
    /// packets at once.
    pub fn new(from: u64, to: u64) -> Self {
        Self(Arc::new(Mutex::new(Log { from, to, ..Log::default() })))
    }

    /// Cycles by which a node may be ahead of the others.
    pub fn lead_cycles(spec: &NetworkSpec) -> u64 {
        let longest_message = spec.flow_control.longest_message_symbols(spec.nodes);
        longest_message.max(u64::from(MAX_SEND_SYMBOLS + MAX_FRAMING_SYMBOLS)) + 2
    }

    /// What has been recorded; the recorder is empty then.
    pub fn finish(&self) -> Recording {
        let mut log = self.log();
        let (from, to) = (log.from, log.to);
        std::mem::replace(&mut *log, Log { from, to, ..Log::default() }).finish()
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Log {
    /// A packet's number.
    fn number(&mut self, view: PacketView) -> u32 {
        let packets = &mut self.recording.packets;
        *self.numbers.entry((view.flow, view.message, view.part, view.response)).or_insert_with(|| {
            packets.push(view);
            packets.len() as u32 - 1
        })
    }

    fn describe(&mut self, symbols: Symbols) -> (RunKind, u32, Option<u32>, Option<u32>) {
        match symbols {
            Symbols::Idles(word) => (RunKind::Idle, word, None, None),
            Symbols::Send(packet) => (RunKind::Send, 0, Some(self.number(packet)), None),
            Symbols::Retry(packet) => (RunKind::Retry, 0, Some(self.number(packet)), None),
            Symbols::Echo(packet, true) => (RunKind::Echo, 0, Some(self.number(packet)), None),
            Symbols::Echo(packet, false) => (RunKind::BusyEcho, 0, Some(self.number(packet)), None),
            Symbols::Control { maker, bits } => (RunKind::Control, bits, None, Some(maker)),
            Symbols::Train => (RunKind::Train, 0, None, None),
            Symbols::Event { maker, packet, priority } => {
                (RunKind::Event, priority.into(), Some(self.number(packet)), Some(maker))
            }
        }
    }

    fn emitted(&mut self, emission: &Emission) {
        let &Emission { node, cycle, count, symbols, activity, bypassed } = emission;
        let (kind, word, packet, maker) = self.describe(symbols);
        if let Some(bypassed) = bypassed {
            self.leaves(node, bypassed, (cycle, count));
        }
        self.recording.runs.push(LinkRun { node, cycle, count, kind, activity, word, packet, maker });
    }

    /// Something leaves a bypass FIFO.
    fn leaves(&mut self, node: u32, bypassed: Bypassed, leaves: (u64, u32)) {
        let inside = self.inside.entry(node).or_default();
        if let Some(place) = inside.iter().position(|&stay| self.recording.stays[stay].cycle == bypassed.arrived) {
            let stay = inside.remove(place);
            let stay = &mut self.recording.stays[stay];
            (stay.leaves, stay.replaced) = (Some(leaves), bypassed.replaced);
        }
    }

    fn bypassed(&mut self, entry: &BypassEntry) {
        let &BypassEntry { node, cycle, count, symbols } = entry;
        let (kind, _, packet, _) = self.describe(symbols);
        self.inside.entry(node).or_default().push(self.recording.stays.len());
        self.recording.stays.push(Stay { node, cycle, count, kind, packet, leaves: None, replaced: None });
    }

    fn event(&mut self, node: u32, cycle: u64, fate: Fate, packet: PacketView) {
        let packet = self.number(packet);
        self.recording.events.push(Event { node, cycle, fate, packet });
    }

    fn finish(mut self) -> Recording {
        let (from, to) = (self.from, self.to);
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
        let [transmit, receive] = std::mem::take(&mut self.lengths).map(|joins| lengths(joins, from, to));
        (recording.transmit_lengths, recording.receive_lengths) = (transmit, receive);
        recording.events.retain(|event| (from..to).contains(&event.cycle));
        recording.events.sort_by_key(|event| (event.node, event.cycle, event.fate));
        recording.number_by_age();
        recording
    }
}

/// However a stretch of equal idles was put together.
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
    /// Keeps the packets that the window names, the oldest first, and says their new numbers everywhere.
    fn number_by_age(&mut self) {
        let mut named = vec![false; self.packets.len()];
        let in_runs = self.runs.iter().filter_map(|run| run.packet);
        let in_stays = self.stays.iter().filter_map(|stay| stay.packet);
        let in_heads = self.heads.iter().filter_map(|change| change.value);
        let in_events = self.events.iter().map(|event| event.packet);
        in_runs.chain(in_stays).chain(in_heads).chain(in_events).for_each(|number| named[number as usize] = true);
        let mut order: Vec<u32> = (0..self.packets.len() as u32).filter(|&number| named[number as usize]).collect();
        order.sort_by_key(|&number| {
            let PacketView { generated, source, flow, response, message, part, .. } = self.packets[number as usize];
            (generated, source, flow, response, message, part)
        });
        let mut renumbered = vec![0; self.packets.len()];
        (0..).zip(&order).for_each(|(new, &old)| renumbered[old as usize] = new);
        let rename = |number: &mut u32| *number = renumbered[*number as usize];
        self.runs.iter_mut().filter_map(|run| run.packet.as_mut()).for_each(rename);
        self.stays.iter_mut().filter_map(|stay| stay.packet.as_mut()).for_each(rename);
        self.heads.iter_mut().filter_map(|change| change.value.as_mut()).for_each(rename);
        self.events.iter_mut().for_each(|event| rename(&mut event.packet));
        self.packets = order.iter().map(|&old| self.packets[old as usize]).collect();
    }
}

impl Observer for Recorder {
    const SEES_IDLES: bool = true;
    const SEES_SYMBOLS: bool = true;

    fn emitted(&mut self, emission: &Emission) {
        self.log().emitted(emission);
    }

    fn bypassed(&mut self, entry: &BypassEntry) {
        self.log().bypassed(entry);
    }

    fn head(&mut self, node: u32, cycle: u64, head: Option<PacketView>) {
        let mut log = self.log();
        let value = head.map(|packet| {
            let number = log.number(packet);
            log.recording.packets[number as usize] = packet;
            number
        });
        log.recording.heads.push(Change { node, cycle, value });
    }

    fn queued(&mut self, node: u32, queue: Queue, cycle: u64, joins: i64) {
        self.log().lengths[queue as usize].push(Change { node, cycle, value: joins });
    }

    fn withheld(&mut self, node: u32, cycle: u64, word: u32) {
        self.log().recording.withheld.push(Change { node, cycle, value: word });
    }

    fn received(&mut self, node: u32, cycle: u64, packet: PacketView, accepted: bool) {
        self.log().event(node, cycle, if accepted { Fate::Accepted } else { Fate::Refused }, packet);
    }

    fn echoed(&mut self, node: u32, cycle: u64, packet: PacketView, accepted: bool) {
        self.log().event(node, cycle, if accepted { Fate::Acknowledged } else { Fate::Returned }, packet);
    }

    fn served(&mut self, node: u32, cycle: u64, packet: PacketView) {
        self.log().event(node, cycle, Fate::Delivered, packet);
    }
}
