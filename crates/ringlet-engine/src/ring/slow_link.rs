//! Links slower than their ring: a converter of rates behind the output of their node (docs/explanation/slow-links.md).
//!
//! The link carries packets one behind the other at its own rate, each with an idle behind it. At its end a packet
//! leaves at the ring's rate, as early as it can without running dry. Nothing comes out in another order than it went
//! in, and a cycle brings one symbol out for the one that came in: while packets wait, idles are made, and behind
//! them those are left out that came in meanwhile.

use std::collections::VecDeque;

use super::saved::{Damaged, check_state};
use super::{Ring, Sweep, Sweeps};
use crate::node::{SINGLE, Shared};
use crate::protocols::FlowControl;
use crate::queues::{Links, Stream};
use crate::results::Observer;
use crate::spec::SlowLinkSpec;
use crate::values::{Encode, Encoder, IdleWord, Kind, Run};

/// Idles that came in one behind the other, as the one that leaves for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ringlet_engine_derive::Encode, serde::Serialize, serde::Deserialize)]
struct Idles {
    /// The go bits of all of them.
    union: IdleWord,
    /// The go bits of the last one.
    last: IdleWord,
}

/// Idles come in behind others.
fn join(idles: &mut Option<Idles>, word: IdleWord) {
    let union = idles.map_or(0, |idles| idles.union) | word;
    *idles = Some(Idles { union, last: word });
}

/// A packet or message on the link.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
struct Held {
    run: Run,
    /// Cycle in which its first symbol leaves.
    leaves: u64,
    /// The idles behind it, of which one at least leaves.
    behind: Option<Idles>,
}

/// The converter of a slow link.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct SlowLink {
    node: u16,
    /// Cycles in which the link carries `symbols`.
    cycles: u32,
    symbols: u32,
    /// Cycle of the next symbol that comes in.
    cycle: u64,
    /// Cycle of the next symbol that goes out; later than `cycle` while a packet leaves of which all is known.
    leaves_from: u64,
    /// Work that the link has left as of the cycle `since`, in parts of a symbol: it carries `symbols` of them in a
    /// cycle, and a symbol has `cycles`.
    work: u128,
    since: u64,
    /// Packets of which no symbol has left, the oldest first.
    held: VecDeque<Held>,
    /// Idles behind what has left, for which none has left yet.
    behind: Option<Idles>,
    /// Go bits of the last idle for which one has left.
    last: IdleWord,
    /// Symbols of the packets held.
    held_symbols: u64,
    most_held_symbols: u64,
}

impl SlowLink {
    /// The link at cycle 0, when all idles are alike.
    pub(super) fn new(&SlowLinkSpec { node, cycles, symbols }: &SlowLinkSpec, initial: IdleWord) -> Self {
        Self {
            node: node as u16,
            cycles,
            symbols,
            cycle: 0,
            leaves_from: 0,
            work: 0,
            since: 0,
            held: VecDeque::new(),
            behind: None,
            last: initial,
            held_symbols: 0,
            most_held_symbols: 0,
        }
    }

    /// The node has been visited: what comes out takes the place of what it has emitted.
    fn convert(&mut self, links: &mut Links) {
        links.replace_emitted(|run, output| {
            let end = self.cycle + u64::from(run.len);
            if run.kind == Kind::Idle {
                join(self.held.back_mut().map_or(&mut self.behind, |last| &mut last.behind), run.value);
            } else {
                self.take_in(run);
            }
            self.emit_to(end, output);
            self.cycle = end;
        });
    }

    /// A packet comes in in the present cycle.
    fn take_in(&mut self, run: Run) {
        let (cycles, symbols) = (u128::from(self.cycles), u128::from(self.symbols));
        let before = self.work.saturating_sub(u128::from(self.cycle - self.since) * symbols);
        self.work = before + (u128::from(run.len) + 1) * cycles;
        self.since = self.cycle;
        let leaves = self.leaves_of_last(run.len);
        self.held_symbols += u64::from(run.len);
        // What leaves in this very cycle is held no more.
        let first = self.held.front().filter(|held| held.leaves == self.cycle);
        let leaving = u64::from(first.map_or(0, |held| held.run.len));
        self.most_held_symbols = self.most_held_symbols.max(self.held_symbols - leaving);
        self.held.push_back(Held { run, leaves, behind: None });
    }

    /// Cycle in which the packet leaves that came in last, in the cycle `since`, with so many symbols: its last symbol
    /// leaves when the link has carried it.
    fn leaves_of_last(&self, len: u32) -> u64 {
        let meanwhile = u128::from(len) * u128::from(self.symbols);
        let ahead = self.work.saturating_sub(u128::from(self.cycles)).saturating_sub(meanwhile);
        self.since.saturating_add(ahead.div_ceil(u128::from(self.symbols)).try_into().unwrap_or(u64::MAX))
    }

    /// Emits all that leaves before cycle `end`, to which what comes in is known.
    fn emit_to(&mut self, end: u64, output: &mut Stream) {
        while let Some(&Held { run, leaves, behind }) = self.held.front().filter(|held| held.leaves < end) {
            self.emit_idles(leaves, output);
            output.push(run);
            self.leaves_from = leaves + u64::from(run.len);
            self.behind = behind;
            self.held_symbols -= u64::from(run.len);
            self.held.pop_front();
        }
        if self.leaves_from < end {
            self.emit_idles(end, output);
        }
    }

    /// Idles leave up to cycle `end`: one for all that wait, and behind it such as the last of them.
    fn emit_idles(&mut self, end: u64, output: &mut Stream) {
        let mut count = (end - self.leaves_from) as u32;
        if count > 0
            && let Some(Idles { union, last }) = self.behind.take()
        {
            output.push_idles(1, union);
            self.last = last;
            count -= 1;
        }
        if count > 0 {
            output.push_idles(count, self.last);
        }
        self.leaves_from = end;
    }

    /// Does it hold a packet, or will what leaves next be known only when what comes in is?
    fn is_active(&self) -> bool {
        !self.held.is_empty() || self.behind.is_some() || self.leaves_from > self.cycle
    }

    /// Does it hold packets?
    pub(super) fn holds_packets(&self) -> bool {
        !self.held.is_empty()
    }

    /// Runs that have come in and not left.
    pub(super) fn runs(&self) -> impl Iterator<Item = &Run> {
        self.held.iter().map(|held| &held.run)
    }

    /// Go bits of idles that have not left, and of those that would be made.
    pub(super) fn words(&self) -> impl Iterator<Item = IdleWord> {
        let behind = self.held.iter().map(|held| held.behind).chain([self.behind]).flatten();
        behind.flat_map(|idles| [idles.union, idles.last]).chain([self.last])
    }

    pub(super) fn node(&self) -> usize {
        self.node.into()
    }

    /// Most symbols of packets that waited, of which no symbol had left.
    pub(super) fn most_held_symbols(&self) -> u64 {
        self.most_held_symbols
    }

    /// Starts its counts again.
    pub(super) fn reset(&mut self) {
        self.most_held_symbols = self.held_symbols;
    }

    /// Cycle before which all that leaves is known; of what comes in it is that of the node's output.
    pub(super) fn known_until(&self) -> u64 {
        self.leaves_from
    }

    pub(super) fn heap_bytes(&self) -> usize {
        size_of::<Self>() + self.held.capacity() * size_of::<Held>()
    }

    /// Refuses a state that cannot be: `emitted_until` is the cycle to which its node's output is known.
    pub(super) fn check(&self, emitted_until: u64, most_ahead: u64) -> Result<(), Damaged> {
        let Self { node, cycle, leaves_from, since, held, .. } = self;
        let check = |holds: bool, what: &str| check_state(holds, || format!("the slow link behind {node} {what}"));
        check(*cycle == emitted_until, "has read other than its node has emitted")?;
        check((*cycle..=cycle + most_ahead).contains(leaves_from), "has emitted too much or too little")?;
        check(since <= cycle, "has taken in a packet that is still to come")?;
        let mut free_from = *leaves_from;
        for held in held {
            check(held.leaves >= free_from, "has two packets leave at one time")?;
            free_from = held.leaves.saturating_add(u64::from(held.run.len) + 1);
        }
        let held_symbols = held.iter().fold(0, |sum, held| sum + u64::from(held.run.len));
        check(held_symbols == self.held_symbols, "holds another number of symbols than it says")?;
        match held.back() {
            Some(last) => check(last.leaves == self.leaves_of_last(last.run.len), "carries more than it holds"),
            // The last packet has left when the link had carried it, but for its idle.
            None => {
                let carried = u128::from(leaves_from - since) * u128::from(self.symbols) + u128::from(self.cycles);
                check(self.work <= carried, "carries more than it has taken in")
            }
        }
    }
}

impl Encode for SlowLink {
    fn encode(&self, encoder: &mut Encoder<'_>) {
        encoder.due(self.cycle);
        encoder.due(self.leaves_from);
        let work = self.work.saturating_sub(u128::from(self.cycle - self.since) * u128::from(self.symbols));
        encoder.put(work as u64);
        encoder.put((work >> 64) as u64);
        encoder.len(self.held.len());
        for Held { run, leaves, behind } in &self.held {
            run.encode(encoder);
            encoder.due(*leaves);
            behind.encode(encoder);
        }
        self.behind.encode(encoder);
        encoder.put(self.last);
    }
}

impl<P: FlowControl, O: Observer> Ring<P, O, SINGLE> {
    /// Brings every node to cycle `end`, where links are slow.
    #[inline(never)]
    pub(super) fn sweep_slowed_to(&mut self, end: u64) {
        let (nodes, links, slow_links) = (&mut self.nodes, &mut self.links, &mut self.slow_links);
        let mut shared = shared!(self, end);
        let mut sweeps = Sweeps::default();
        loop {
            let mut sweep = Sweep::BEGUN;
            let mut next = slow_links.iter_mut().peekable();
            for (place, node) in nodes.iter_mut().enumerate() {
                sweep.visit(node, &mut shared, links);
                if let Some(slow) = next.next_if(|slow| slow.node() == place) {
                    // What was on it, and is not any more, may not have been read by any node.
                    sweep.active |= slow.is_active();
                    slow.convert(links);
                    sweep.active |= slow.is_active();
                }
            }
            if sweep.done {
                links.keep(&mut nodes[0].unread);
                return;
            }
            let before = nodes[0].cycle;
            sweeps.end(&sweep, nodes, links, &mut shared, self.revolution);
            // Whole revolutions of idles that were skipped.
            let skipped = nodes[0].cycle - before;
            for slow in slow_links.iter_mut() {
                slow.cycle += skipped;
                slow.leaves_from += skipped;
            }
        }
    }
}
