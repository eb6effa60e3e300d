//! Rules for go bits that picker1994 does not state, tried on its rings: what `benches/go_bit_rules.py` runs.
//!
//! One saturated ring, symbol by symbol, with echoes, as docs/explanation/model.md describes it; nothing of the engine
//! is used, so that a rule is a line here and no option there. Each line of the input is one ring,
//! `RULES|NODES PROTOCOL SIZE|GROUPS|PROBABILITIES|SEEDS`; each line of the output has the words per cycle of each node
//! under the first seed, then the second.

use std::collections::VecDeque;
use std::io::{BufRead, Write, stdin, stdout};

/// As in `ringlet.papers.picker1994`.
const CYCLES: usize = 30_000;
const ECHO_SYMBOLS: u8 = 4;

/// What the paper leaves open. Where no rule is named: any go bit of the block register permits, go bits are merged,
/// and idles that pass or stand behind an own packet copy the last idle emitted.
#[derive(Debug, Clone, Copy)]
struct Rules {
    hop_delay: usize,
    /// `leaving`: the block register records packets when they leave, not when they come.
    leaving: bool,
    /// `blocked`: it records them only while the node waits, not while it sends.
    blocked: bool,
    /// `emptied`: it is cleared whenever the bypass FIFO has become empty.
    emptied: bool,
    /// `own`: a node sends only behind a go bit of its own group.
    own: bool,
    /// `fifo`: an idle in the bypass FIFO keeps the go bits of groups outside the block register.
    fifo: bool,
    /// `copied`: the same, and they are saved, too.
    copied: bool,
    /// `exit`: go bits are taken from an idle in the bypass FIFO when it leaves, not when it comes.
    exit: bool,
    /// `others`: behind its own packet a node withholds only the go bits of other groups.
    others: bool,
    /// 1: several go bits of a group are merged into one. `second`, `third`, `fourth`, `fifth`, `every`: so many are
    /// saved, and each leaves with an idle of its own.
    most_saved: u32,
    /// `second-free`: a second one is saved of groups outside the block register alone.
    second_free: bool,
    /// `waiting`: more than one is saved only while the node waits, not while it sends.
    waiting: bool,
    /// `draining`: idles sent while a packet is stripped and the bypass FIFO drained copy the last idle, too.
    draining: bool,
    /// `behind`: the idle that empties the bypass FIFO carries nothing that is withheld; the next one does.
    behind: bool,
    /// `stored`: while a node sends or drains, an idle that brings go bits of groups outside the block register is not
    /// deleted, but stored in the bypass FIFO with them.
    stored: bool,
    /// `sending`: while a node sends and strips a packet, it saves what extension would copy of groups outside the
    /// block register.
    sending: bool,
    /// `behind-own`: the same for the idle behind its own packet alone.
    behind_own: bool,
    /// `received`: only idles in place of send packets copy the last idle, not those in place of echoes.
    received: bool,
    /// `echoing`: a packet counts as being read until its echo has been made: the idle behind an own packet copies the
    /// last idle then, too.
    echoing: bool,
    /// `stripped`: the block register records packets to the node itself, too.
    stripped: bool,
    /// `all`: the idle behind an own packet carries all saved go bits, whatever the bypass FIFO holds.
    all: bool,
    /// `none`: no idle copies the last one.
    none: bool,
    /// `extending`: every idle emitted while a packet is stripped copies the last idle, whatever the state.
    extending: bool,
    /// `incoming`: copied is the last idle received, not the last emitted.
    incoming: bool,
    /// `behind-only`: only the idle behind an own packet copies.
    behind_only: bool,
    /// `refill`: besides, at a node without a packet, those in place of echoes and of the first packet since it has
    /// sent.
    refill: bool,
}

impl Rules {
    fn parse(words: &str) -> Self {
        let has = |name| words.split(' ').any(|word| word == name);
        let delay = words.split(' ').find_map(|word| word.strip_prefix("delay="));
        Self {
            hop_delay: delay.map_or(3, |delay| delay.parse().expect("a number of cycles")),
            leaving: has("leaving"),
            blocked: has("blocked"),
            emptied: has("emptied"),
            own: has("own"),
            fifo: has("fifo"),
            copied: has("copied"),
            exit: has("exit"),
            others: has("others"),
            most_saved: [
                ("every", u32::MAX),
                ("fifth", 5),
                ("fourth", 4),
                ("third", 3),
                ("second", 2),
                ("second-free", 2),
            ]
            .into_iter()
            .find_map(|(name, most)| has(name).then_some(most))
            .unwrap_or(1),
            second_free: has("second-free"),
            waiting: has("waiting"),
            draining: has("draining"),
            behind: has("behind"),
            stored: has("stored"),
            sending: has("sending"),
            behind_own: has("behind-own"),
            received: has("received"),
            echoing: has("echoing"),
            stripped: has("stripped"),
            all: has("all"),
            none: has("none"),
            extending: has("extending"),
            incoming: has("incoming"),
            behind_only: has("behind-only"),
            refill: has("refill"),
        }
    }

    /// The rules of SCI beside an enhanced protocol with these: it extends go bits alike, and merges them.
    fn of_sci(words: &str) -> Self {
        let shared: Vec<&str> =
            words.split(' ').filter(|word| ["incoming", "behind-only", "refill"].contains(word)).collect();
        Self::parse(&shared.join(" "))
    }
}

/// A symbol on a link or in a bypass FIFO.
#[derive(Debug, Clone, Copy)]
enum Symbol {
    Idle { go: u8, created: bool },
    Packet { source: u8, target: u8, group: u8, is_echo: bool, is_first: bool, left: u8 },
}

const CREATED: Symbol = Symbol::Idle { go: 0, created: true };

impl Symbol {
    /// The group of a send packet whose first symbol this is.
    fn group_of_send(self) -> Option<u8> {
        match self {
            Self::Packet { is_echo: false, is_first: true, group, .. } => Some(group),
            _ => None,
        }
    }
}

/// As in docs/explanation/model.md.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Wait,
    Ready,
    Send { next: u8 },
    Post,
}

struct Head {
    target: u8,
    symbols: u8,
}

/// A ring and its traffic.
struct Ring {
    rules: Rules,
    flow_control: bool,
    /// Symbols of a packet where all have one size; 0: 40 % have 40 and 60 % have 8.
    symbols: u8,
    groups: Vec<u8>,
    /// Cumulative probability of each target, for each source.
    targets: Vec<Vec<f64>>,
}

/// Xorshift with a multiplication: enough for arrivals and targets.
struct Random(u64);

impl Random {
    fn new(seed: u64, node: u64) -> Self {
        let state = (seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (node + 1).wrapping_mul(0xD1B5_4A32_D192_ED03);
        let mut random = Self(state);
        (0..5).for_each(|_| _ = random.share());
        random
    }

    fn share(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

struct Node<'a> {
    ring: &'a Ring,
    index: u8,
    /// Of its packets, and its bit.
    group: u8,
    arrivals: f64,
    state: State,
    fifo: VecDeque<Symbol>,
    saved: u8,
    /// Go bits of each group that are saved besides the first, see `Rules::most_saved`.
    further: [u32; 8],
    block_register: u8,
    last_emitted: u8,
    last_received: u8,
    /// It has sent since it last stripped a packet.
    has_sent: bool,
    /// What is being stripped is an echo, or was due.
    refills: bool,
    head: Option<Head>,
    waiting: u64,
    random: Random,
}

impl<'a> Node<'a> {
    fn new(ring: &'a Ring, index: u8, seed: u64) -> Self {
        Self {
            ring,
            index,
            group: ring.groups[usize::from(index)],
            arrivals: 1.0 / ring.mean_symbols(),
            state: State::Wait,
            fifo: VecDeque::new(),
            saved: 0,
            further: [0; 8],
            block_register: 0,
            last_emitted: ring.all_groups(),
            last_received: ring.all_groups(),
            has_sent: false,
            refills: false,
            head: None,
            waiting: 0,
            random: Random::new(seed, u64::from(index)),
        }
    }

    fn own(&self) -> u8 {
        1 << self.group
    }

    fn arrive(&mut self) {
        self.waiting += u64::from(self.random.share() < self.arrivals);
        self.choose_head();
    }

    fn choose_head(&mut self) {
        if self.head.is_some() || self.waiting == 0 {
            return;
        }
        let drawn = self.random.share();
        let row = &self.ring.targets[usize::from(self.index)];
        let target = row.iter().position(|&below| drawn < below).expect("a row ends with 1") as u8;
        let symbols = match self.ring.symbols {
            0 if self.random.share() < 0.4 => 40,
            0 => 8,
            symbols => symbols,
        };
        self.head = Some(Head { target, symbols });
        self.block_register |= self.own();
    }

    /// Notes the last idle, and what begins to be stripped.
    fn note(&mut self, symbol: Symbol) {
        match symbol {
            Symbol::Idle { go, .. } => self.last_received = go,
            Symbol::Packet { target, is_echo, is_first: true, .. } if target == self.index => {
                self.refills = is_echo || self.has_sent;
                self.has_sent &= is_echo;
            }
            Symbol::Packet { .. } => {}
        }
    }

    /// What is left of a symbol that comes in, and the source of a packet that has arrived.
    fn strip(&self, symbol: Symbol) -> (Symbol, Option<u8>) {
        match symbol {
            Symbol::Packet { target, is_echo: true, .. } if target == self.index => {
                (Symbol::Idle { go: 0, created: !self.ring.rules.received }, None)
            }
            Symbol::Packet { target, source, left, group, .. } if target == self.index => {
                let echo = Symbol::Packet {
                    source: target,
                    target: source,
                    group,
                    is_echo: true,
                    is_first: left == ECHO_SYMBOLS - 1,
                    left,
                };
                (if left >= ECHO_SYMBOLS { CREATED } else { echo }, Some(source))
            }
            _ => (symbol, None),
        }
    }

    fn record(&mut self, symbol: Symbol) {
        if let (Some(group), true) = (symbol.group_of_send(), self.head.is_some()) {
            self.block_register |= 1 << group;
        }
    }

    fn save(&mut self, go: u8) {
        let rules = self.ring.rules;
        let counted = if rules.second_free { !self.block_register } else { !0 };
        let again = self.saved & go & if rules.waiting && self.state != State::Wait { 0 } else { counted };
        for (group, further) in self.further.iter_mut().enumerate() {
            if again & (1 << group) != 0 && *further < rules.most_saved - 1 {
                *further += 1;
            }
        }
        self.saved |= go;
    }

    /// An idle with the saved go bits that are not withheld.
    fn emit(&mut self, withheld: u8) -> Symbol {
        let go = self.saved & !withheld;
        self.saved &= withheld;
        for (group, further) in self.further.iter_mut().enumerate() {
            if go & (1 << group) != 0 && *further > 0 {
                *further -= 1;
                self.saved |= 1 << group;
            }
        }
        self.last_emitted = go;
        Symbol::Idle { go, created: false }
    }

    /// The same with all of them; the head follows, if it may.
    fn emit_and_decide(&mut self) -> Symbol {
        let idle = self.emit(0);
        let needed = if self.ring.rules.own { self.own() } else { self.block_register };
        let permitted = !self.ring.flow_control || self.last_emitted & needed != 0;
        self.state = if self.head.is_some() && permitted { State::Ready } else { State::Wait };
        idle
    }

    fn absorb(&mut self, symbol: Symbol) {
        let rules = self.ring.rules;
        let Symbol::Idle { go, .. } = symbol else {
            self.fifo.push_back(symbol);
            return;
        };
        let Some(Symbol::Packet { left: 0, .. }) = self.fifo.back() else {
            let kept = if rules.stored { go & !self.block_register } else { 0 };
            self.save(go & !kept);
            if kept != 0 {
                self.fifo.push_back(Symbol::Idle { go: kept, created: false });
            }
            return;
        };
        let kept = match rules {
            Rules { exit: true, .. } => go,
            Rules { fifo: true, .. } | Rules { copied: true, .. } | Rules { stored: true, .. } => {
                go & !self.block_register
            }
            _ => 0,
        };
        self.save(if rules.copied { go } else { go & !kept });
        self.fifo.push_back(Symbol::Idle { go: kept, created: false });
    }

    /// The symbol that is emitted in this cycle.
    fn step(&mut self, input: Symbol) -> Symbol {
        let rules = self.ring.rules;
        if !rules.leaving && (!rules.blocked || self.state == State::Wait) {
            self.record(input);
        }
        let is_read = match input {
            Symbol::Idle { created, .. } => created,
            Symbol::Packet { source, is_echo, .. } => rules.echoing && is_echo && source == self.index,
        };
        let copied = if rules.incoming { self.last_received } else { self.last_emitted };
        let extended = if is_read && !rules.none { copied } else { 0 };
        if rules.sending && matches!(self.state, State::Ready | State::Send { .. }) {
            self.save(extended & !self.block_register);
        }
        match self.state {
            State::Wait if self.fifo.is_empty() => {
                let Symbol::Idle { go, .. } = input else {
                    if rules.leaving {
                        self.record(input);
                    }
                    return input;
                };
                let refilled = if rules.refill && self.refills && self.head.is_none() { extended } else { 0 };
                self.save(go | if rules.behind_only { refilled } else { extended });
                self.emit_and_decide()
            }
            State::Wait => self.drain(input, extended),
            State::Ready => {
                self.absorb(input);
                self.state = State::Send { next: 1 };
                self.own_symbol(0)
            }
            State::Send { next } => {
                self.absorb(input);
                let head = self.head.as_ref().expect("it is sent");
                self.state = if next + 1 == head.symbols { State::Post } else { State::Send { next: next + 1 } };
                self.own_symbol(next)
            }
            State::Post => {
                let sent = self.own();
                self.head = None;
                self.waiting -= 1;
                self.has_sent = true;
                self.absorb(input);
                if self.fifo.is_empty() {
                    self.block_register = 0;
                    self.choose_head();
                    self.save(extended);
                    return self.emit_and_decide();
                }
                self.choose_head();
                self.state = State::Wait;
                if rules.extending || rules.echoing && !matches!(input, Symbol::Idle { .. }) {
                    self.save(extended);
                } else if rules.behind_own || rules.sending {
                    self.save(extended & !self.block_register);
                }
                let released = match rules {
                    Rules { all: true, .. } => !0,
                    Rules { others: true, .. } => sent,
                    _ => 0,
                };
                self.emit(self.block_register & !released)
            }
        }
    }

    fn drain(&mut self, input: Symbol, extended: u8) -> Symbol {
        let rules = self.ring.rules;
        self.absorb(input);
        if rules.draining {
            self.save(extended & !self.block_register);
        } else if rules.extending {
            self.save(extended);
        }
        let next = self.fifo.pop_front().expect("it is not empty");
        let Symbol::Idle { go, .. } = next else {
            if rules.leaving {
                self.record(next);
            }
            return next;
        };
        self.save(go);
        if !self.fifo.is_empty() || rules.behind {
            return self.emit(self.block_register);
        }
        let idle = self.emit_and_decide();
        if rules.emptied {
            self.block_register = if self.head.is_some() { self.own() } else { 0 };
        }
        idle
    }

    fn own_symbol(&self, next: u8) -> Symbol {
        let Head { target, symbols } = *self.head.as_ref().expect("it is sent");
        let left = symbols - 1 - next;
        Symbol::Packet { source: self.index, target, group: self.group, is_echo: false, is_first: next == 0, left }
    }
}

impl Ring {
    fn all_groups(&self) -> u8 {
        self.groups.iter().fold(0, |all, group| all | 1 << group)
    }

    fn mean_symbols(&self) -> f64 {
        if self.symbols == 0 { 0.4 * 40.0 + 0.6 * 8.0 } else { f64::from(self.symbols) }
    }

    /// Words per cycle of each node.
    fn simulate(&self, seed: u64) -> Vec<f64> {
        let nodes = self.groups.len();
        let first = Symbol::Idle { go: self.all_groups(), created: false };
        let mut links = vec![vec![first; self.rules.hop_delay]; nodes];
        let mut ring: Vec<Node> = (0..nodes).map(|index| Node::new(self, index as u8, seed)).collect();
        let mut words = vec![0_u64; nodes];
        for cycle in 0..CYCLES {
            let slot = cycle % self.rules.hop_delay;
            let mut input = links[nodes - 1][slot];
            for (node, link) in ring.iter_mut().zip(&mut links) {
                node.arrive();
                node.note(input);
                let (stripped, arrived) = node.strip(input);
                if self.rules.stripped && arrived.is_some() {
                    node.record(input);
                }
                arrived.into_iter().for_each(|source| words[usize::from(source)] += 1);
                input = std::mem::replace(&mut link[slot], node.step(stripped));
            }
        }
        words.iter().map(|&words| words as f64 / CYCLES as f64).collect()
    }
}

fn numbers<T: std::str::FromStr>(words: &str) -> Vec<T> {
    words.split_whitespace().map(|word| word.parse().ok().expect("a number")).collect()
}

fn main() {
    for line in stdin().lock().lines() {
        let line = line.expect("text");
        let [rules, ring, groups, probabilities, seeds] = line.split('|').collect::<Vec<_>>()[..] else {
            panic!("five fields: {line}");
        };
        let [nodes, flow_control, symbols] = numbers::<u32>(ring)[..] else { panic!("three numbers: {ring}") };
        let cumulative = |row: &[f64]| {
            let sums = row.iter().scan(0.0, |sum, share| {
                *sum += share;
                Some(if *sum > 1.0 - 1e-9 { 2.0 } else { *sum })
            });
            sums.collect()
        };
        let groups: Vec<u8> = numbers(groups);
        // `enhanced`: the other rules are not those of one group, which is SCI.
        let is_sci = groups.iter().all(|group| *group == groups[0]) && rules.contains("enhanced");
        let ring = Ring {
            rules: if is_sci { Rules::of_sci(rules) } else { Rules::parse(rules) },
            flow_control: flow_control == 1,
            symbols: symbols as u8,
            groups,
            targets: numbers::<f64>(probabilities).chunks_exact(nodes as usize).map(cumulative).collect(),
        };
        let found: Vec<String> =
            numbers(seeds).into_iter().flat_map(|seed| ring.simulate(seed)).map(|words| words.to_string()).collect();
        writeln!(stdout(), "{}", found.join(" ")).expect("standard output is open");
    }
}
