//! Links slower than their ring, symbol by symbol (docs/explanation/slow-links.md).
//!
//! The link has work to do, in parts of a symbol: a symbol has as many as its cycles, and the link does as many in a
//! cycle as it carries symbols in these. A packet may begin to leave when, at that rate, all of it will be carried by
//! its end.

use std::collections::VecDeque;

use ringlet_engine::spec::SlowLinkSpec;

use super::go::Go;
use super::symbol::{Idle, Symbol};

/// A packet or control symbol that has begun to come in and not to leave, with the idles behind it.
#[derive(Debug)]
struct Waiting {
    length: u32,
    /// Work until all of it is carried: what was before it, and its own.
    work: u128,
    behind: Vec<Idle>,
}

/// A slow link.
#[derive(Debug)]
pub(crate) struct SlowLink {
    rate: SlowLinkSpec,
    /// Work until all is carried that has come in, idles behind packets included.
    work: u128,
    waiting: VecDeque<Waiting>,
    /// Symbols that have come in and not left, of packets that wait, and of the one that leaves.
    symbols: VecDeque<Symbol>,
    /// Symbols of the packet that leaves which are still to leave.
    leaving: u32,
    /// Idles behind what has left, for which none has left yet.
    behind: Vec<Idle>,
    last: Idle,
    /// Most symbols of packets of which none had left.
    pub(crate) most: u64,
}

/// Length of the packet or control symbol of which this is the first symbol.
fn begins(symbol: Symbol) -> Option<u32> {
    match symbol {
        Symbol::Packet(symbol) => symbol.is_first().then_some(symbol.length),
        Symbol::Control(symbol) => symbol.is_first().then_some(symbol.length),
        Symbol::Idle(_) => None,
    }
}

/// One idle for several: the go bits of all of them.
fn joined(idles: &[Idle]) -> Idle {
    idles.iter().fold(Idle::EMPTY, |one, idle| Idle { go: one.go | idle.go, ..Idle::EMPTY })
}

impl SlowLink {
    pub(crate) fn new(rate: SlowLinkSpec, first: Idle) -> Self {
        Self {
            rate,
            work: 0,
            waiting: VecDeque::new(),
            symbols: VecDeque::new(),
            leaving: 0,
            behind: Vec::new(),
            last: first,
            most: 0,
        }
    }

    /// The symbol that leaves in the cycle in which `input` comes in.
    pub(crate) fn step(&mut self, input: Symbol) -> Symbol {
        let SlowLinkSpec { cycles, symbols, .. } = self.rate;
        if let Some(length) = begins(input) {
            let work = self.work + u128::from(length) * u128::from(cycles);
            self.waiting.push_back(Waiting { length, work, behind: Vec::new() });
            self.work = work + u128::from(cycles);
        }
        match input {
            Symbol::Idle(idle) => self.waiting.back_mut().map_or(&mut self.behind, |last| &mut last.behind).push(idle),
            symbol => self.symbols.push_back(symbol),
        }
        let leaves = |first: &Waiting| first.work <= u128::from(symbols) * u128::from(first.length);
        if self.leaving == 0 && self.waiting.front().is_some_and(leaves) {
            let first = self.waiting.pop_front().expect("it was just looked at");
            assert!(self.behind.is_empty(), "an idle is between two packets, or the first one leaves none");
            (self.leaving, self.behind) = (first.length, first.behind);
        }
        let output = if self.leaving > 0 {
            self.leaving -= 1;
            self.symbols.pop_front().expect("a packet does not run dry")
        } else {
            self.idle()
        };
        let waiting = self.waiting.iter().map(|waiting| u64::from(waiting.length)).sum();
        self.most = self.most.max(waiting);
        self.work = self.work.saturating_sub(symbols.into());
        for waiting in &mut self.waiting {
            waiting.work = waiting.work.saturating_sub(symbols.into());
        }
        output
    }

    /// The idle that leaves for those that have come in, or is made.
    fn idle(&mut self) -> Symbol {
        let idles = std::mem::take(&mut self.behind);
        let Some(&last) = idles.last() else { return Symbol::Idle(self.last) };
        self.last = last;
        Symbol::Idle(joined(&idles))
    }

    /// Symbols of packets that are here.
    pub(crate) fn held(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.symbols.iter().copied()
    }

    /// The go bits of idles for which none has left yet.
    pub(crate) fn go_bits(&self) -> Go {
        let behind = self.waiting.iter().flat_map(|waiting| &waiting.behind).chain(&self.behind);
        behind.fold(Go::NONE, |go, idle| go | idle.go)
    }
}
