//! RPR's fairness on one ringlet (IEEE 802.17 as public descriptions have it; docs/explanation/access-protocols.md,
//! "rpr").
//!
//! A node forwards class A first, and lets what else passes wait in its bypass FIFO (the secondary transit queue) while
//! it sends. When that queue fills, the node is congested and advertises a fair rate, to which the nodes before it
//! restrict what they send past it. Rates are aged and smoothed in every aging interval.

use std::collections::VecDeque;

use super::prelude::*;

/// Priorities from this one on are class A, the next lower one is class B, and 0 is class C.
const CLASS_A: u8 = 2;
const CLASS_B: u8 = 1;
const CLASS_C: u8 = 0;

/// Rates are counted in parts of a symbol.
const PARTS: u64 = 256;

/// The rate in a message that restricts no node. A fair rate is its share of this.
const FULL_RATE: u32 = 0xFFFF;

/// Options of RPR.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RprSpec {
    /// Rule by which a congested node computes the fair rate.
    pub mode: RprMode,
    /// Nominal bypass FIFO: the secondary transit queue.
    pub bypass_symbols: u32,
    /// Symbols in it above which the node is congested.
    pub low_symbols: u32,
    /// Symbols in it above which it goes before own packets, at least `low_symbols`.
    pub high_symbols: u32,
    /// Cycles of an aging interval.
    pub aging_cycles: u64,
    /// Reciprocal of the part of a counted rate that it loses in each interval: ageCoef.
    pub age_coefficient: u32,
    /// Weight of the past in a smoothed rate: lpCoef.
    pub smoothing_coefficient: u32,
    /// Reciprocal of the part of what a restricted rate lacks by which it rises in each interval: rampUpCoef.
    pub ramp_coefficient: u32,
    /// Symbols of class A that a node may send in an interval.
    pub class_a_symbols: u32,
    /// Symbols of class B that a node may send in an interval without being restricted like class C.
    pub class_b_symbols: u32,
    /// Length of a fairness message.
    pub message_symbols: u32,
}

/// The rule by which a congested node computes the fair rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RprMode {
    /// The node's own smoothed rate.
    Aggressive,
    /// The smoothed rate at first, then lower while the link is full and higher while it is not.
    Conservative,
}

impl RprSpec {
    /// Options from which tests and benches start; a rule that is added is off in them.
    pub const EXAMPLE: Self = Self {
        mode: RprMode::Aggressive,
        bypass_symbols: 200,
        low_symbols: 20,
        high_symbols: 100,
        aging_cycles: 1_000,
        age_coefficient: 4,
        smoothing_coefficient: 16,
        ramp_coefficient: 64,
        class_a_symbols: 0,
        class_b_symbols: 100,
        message_symbols: 2,
    };
}

impl Options for RprSpec {
    type Protocol = Rpr;

    fn check(&self, spec: &NetworkSpec) -> Result<(), SpecError> {
        check_bypass(self.bypass_symbols, spec)?;
        let (low, high) = (self.low_symbols, self.high_symbols);
        let most = self.bypass_symbols;
        check((1..=most).contains(&high), "flow_control.high_symbols", high, format!("1 to {most}"))?;
        check(low <= high, "flow_control.low_symbols", low, format!("at most {high}, the high_symbols"))?;
        let aging = self.aging_cycles;
        // Every node sends a message in an interval, which passes all links but one.
        let least = 4 * u64::from(spec.nodes) * u64::from(self.message_symbols);
        let allowed = format!("{least} to {}, so that messages take a quarter of a link at most", MAX_CYCLES >> 20);
        check((least..=MAX_CYCLES >> 20).contains(&aging), "flow_control.aging_cycles", aging, allowed)?;
        for (name, coefficient) in [
            ("age_coefficient", self.age_coefficient),
            ("smoothing_coefficient", self.smoothing_coefficient),
            ("ramp_coefficient", self.ramp_coefficient),
        ] {
            let ok = (1..=1024).contains(&coefficient);
            check(ok, format!("flow_control.{name}"), coefficient, "1 to 1024")?;
        }
        check_length("message_symbols", self.message_symbols)
    }

    fn limits(&self, _: RingShape) -> Limits {
        let levels = u16::from(self.highest()) + 1;
        // The next fairness message makes good for one that is lost.
        Limits { bypass_symbols: Some(self.bypass_symbols), levels, survives_losses: true, ..Limits::default() }
    }
}

impl RprSpec {
    /// The highest class. Without a rate of its own a packet of class A would wait for ever.
    fn highest(&self) -> u8 {
        if self.class_a_symbols > 0 { CLASS_A } else { CLASS_B }
    }
}

type Host<'a> = super::Host<'a, Rpr>;

/// A rate to which a node of the ring restricts those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Serialize, Deserialize)]
struct Advice {
    /// Rate in parts of [`FULL_RATE`].
    rate: u32,
    /// The congested node.
    origin: u16,
}

/// One node's rates and transit queue.
#[derive(Debug, Clone, Encode, Serialize, Deserialize)]
pub(crate) struct Rpr {
    #[encode(skip)]
    options: RprSpec,
    #[encode(skip)]
    node: u16,
    #[encode(skip)]
    nodes: u32,
    /// The next cycle in which rates age, and the next one in which the node chooses its head again because of it.
    #[encode(due)]
    ages_at: u64,
    #[encode(due)]
    wakes_at: u64,
    /// Fairness-eligible symbols, aged: own ones, those of them past the congested node, and those forwarded.
    added: u64,
    added_past: u64,
    forwarded: u64,
    /// Smoothed.
    smooth_added: u64,
    smooth_forwarded: u64,
    /// Symbols, aged, that the node may send past the congested node.
    allowed: u64,
    /// Hops from this node to the congested one.
    congested_hops: u16,
    received: Advice,
    /// The transit queue was above its low threshold at the last decision.
    is_congested: bool,
    /// The fair rate of a congested node in conservative mode, to which it restricts itself, too.
    fair: Option<u64>,
    /// Symbols of classes A and B that count against their rates; what is sent may exceed these by a packet.
    used: [u64; 2],
    /// Fairness messages to be sent.
    messages: VecDeque<Run>,
}

/// The rate that a message tells, as a part of the full one.
fn part_of(full: u64, rate: u32) -> u64 {
    (u128::from(full) * u128::from(rate) / u128::from(FULL_RATE)) as u64
}

impl Rpr {
    /// A rate that uses the whole link.
    fn full(&self) -> u64 {
        PARTS * self.options.aging_cycles * u64::from(self.options.age_coefficient)
    }

    fn hops(&self, to: u16) -> u16 {
        let hops = (u32::from(to) + self.nodes - u32::from(self.node)) % self.nodes;
        hops as u16
    }

    /// Ends all intervals up to this cycle.
    fn age_to(&mut self, now: u64) {
        while self.ages_at <= now {
            self.ages_at += self.options.aging_cycles;
            self.age();
        }
    }

    fn age(&mut self) {
        let RprSpec { age_coefficient, smoothing_coefficient, ramp_coefficient, .. } = self.options;
        let smooth = u64::from(smoothing_coefficient);
        self.smooth_added = (self.smooth_added * (smooth - 1) + self.added) / smooth;
        self.smooth_forwarded = (self.smooth_forwarded * (smooth - 1) + self.forwarded) / smooth;
        for rate in [&mut self.added, &mut self.added_past, &mut self.forwarded] {
            *rate -= *rate / u64::from(age_coefficient);
        }
        for class in [0, 1] {
            // A shaper is filled up in each interval, and keeps nothing for later ones (access-protocols.md, "rpr").
            self.used[class] = self.used[class].saturating_sub(self.class_symbols(class));
        }
        let full = self.full();
        let Advice { rate, origin } = self.received;
        if rate < FULL_RATE && origin != self.node {
            self.allowed = part_of(full, rate);
            self.congested_hops = self.hops(origin);
        } else {
            self.allowed += (full - self.allowed).div_ceil(u64::from(ramp_coefficient));
        }
        let advice = self.advise();
        if self.nodes > 1 {
            let len = self.options.message_symbols;
            let value = advice.rate << 16 | u32::from(advice.origin);
            self.messages.push_back(Run::message(len, self.node, value));
        }
    }

    /// The rate to which the node restricts those before it.
    fn advise(&mut self) -> Advice {
        let full = self.full();
        // A congested node that adds nothing has a rate of 0, which would stop all nodes before it.
        let least = full / 1024;
        let own = match self.options.mode {
            RprMode::Aggressive => self.is_congested.then_some(self.smooth_added.max(least)),
            RprMode::Conservative => {
                let used = self.smooth_added + self.smooth_forwarded;
                let ramp = u64::from(self.options.ramp_coefficient);
                self.fair = match self.fair {
                    None => self.is_congested.then_some(self.smooth_added.max(least)),
                    Some(fair) if self.is_congested => Some((fair - fair / ramp).max(least)),
                    // The link has room: the rate rises until it restricts no node.
                    Some(fair) if used < full / 5 * 4 => {
                        Some(fair + (full - fair).div_ceil(ramp)).filter(|&fair| fair < full)
                    }
                    fair => fair,
                };
                self.fair
            }
        };
        let unrestricted = Advice { rate: FULL_RATE, origin: self.node };
        let further = if self.received.origin == self.node { unrestricted } else { self.received };
        let Some(own) = own else {
            // It concerns only nodes that send past the congested one.
            let sent_past = part_of(full, further.rate) < self.smooth_forwarded;
            return if further.rate < FULL_RATE && sent_past { further } else { unrestricted };
        };
        // In 128 bits: a long interval of slow ageing counts up to 2^51 parts.
        let rate = u128::from(own) * u128::from(FULL_RATE) / u128::from(full);
        let own = Advice { rate: rate.min(FULL_RATE.into()) as u32, origin: self.node };
        if further.rate < own.rate { further } else { own }
    }

    /// Symbols that the node may send of class A (0) or B (1) in an interval.
    fn class_symbols(&self, class: usize) -> u64 {
        [self.options.class_a_symbols, self.options.class_b_symbols][class].into()
    }

    fn has_credit(&self, class: usize) -> bool {
        self.used[class] < self.class_symbols(class)
    }

    /// The class of a packet, which comes from another ring if it has a priority above those of the classes.
    fn class(&self, packet: &Packet) -> u8 {
        packet.priority.min(self.options.highest())
    }

    /// Is the packet of class C, or of class B beyond its rate?
    fn is_fairness_eligible(&self, packet: &Packet) -> bool {
        let class = self.class(packet);
        class == CLASS_C || (class == CLASS_B && !self.has_credit(1))
    }
}

impl Protocol for Rpr {
    type Options = RprSpec;
    type Ring = ();
    type Counts = ();

    fn new(options: &RprSpec, spec: &NetworkSpec, node: u32, _: IdleWord) -> Self {
        let node = node as u16;
        let mut new = Self {
            options: *options,
            node,
            nodes: spec.nodes,
            ages_at: options.aging_cycles,
            wakes_at: options.aging_cycles,
            added: 0,
            added_past: 0,
            forwarded: 0,
            smooth_added: 0,
            smooth_forwarded: 0,
            allowed: 0,
            congested_hops: 0,
            received: Advice { rate: FULL_RATE, origin: node },
            is_congested: false,
            fair: None,
            used: [0; 2],
            messages: VecDeque::new(),
        };
        new.allowed = new.full();
        new
    }

    /// A ring at rest has fairness messages, too.
    fn prepare(&self, encoder: &mut Encoder<'_>) {
        encoder.encode_message = |message, encoder| {
            encoder.put(message.target);
            encoder.put(message.value);
        };
    }

    fn blocked_by(&self, head: Option<&Packet>) -> Option<String> {
        match head {
            Some(_) => Some("its head waits for space in the transit queue".into()),
            None => Some("its packets wait for their class's rate".into()),
        }
    }
}

impl IdleRules for Rpr {}

impl Scheduler for Rpr {
    const FOLLOWS_QUEUES: bool = true;

    fn wakes_at(&self) -> u64 {
        self.wakes_at
    }

    fn wake(&mut self, now: u64) {
        self.age_to(now);
        self.wakes_at += self.options.aging_cycles;
    }

    #[inline]
    fn selection(&self) -> &impl Eligibility {
        self
    }

    #[inline]
    fn link(&mut self) -> Option<&mut impl Link<Self>> {
        Some(self)
    }

    fn next(&mut self, _: IdleWord, host: Host<'_>) -> Next {
        self.age_to(host.now);
        let occupancy = host.bypass.occupancy(host.now);
        self.is_congested = occupancy > u64::from(self.options.low_symbols);
        // The order of access-protocols.md, "rpr": messages, primary queue, full
        // secondary queue, own packet, secondary queue.
        if let Some(message) = self.messages.pop_front() {
            return Next::Bare(message);
        }
        // The primary transit queue: class A, and echoes.
        if let Some(place) =
            host.bypass.iter().position(|entry| !entry.run.kind.is_send() || entry.run.group >= CLASS_A)
        {
            return Next::Bypass(place);
        }
        let is_full = occupancy > u64::from(self.options.high_symbols);
        if let Some(head) = host.head()
            && !is_full
            && host.has_space(self.options.bypass_symbols, head.symbols)
        {
            return Next::Head;
        }
        if host.bypass.is_empty() { Next::Nothing } else { Next::Bypass(0) }
    }

    fn own_packet(&mut self, packet: u32, step: Step, host: Host<'_>) {
        if step != Step::Begins {
            return;
        }
        let packet = &host.hosts.packets[packet];
        let symbols = u64::from(packet.symbols);
        let class = self.class(packet);
        if class == CLASS_C {
            // `emits` has counted it as forwarded, as it counts all of class C that leaves.
            self.forwarded -= PARTS * symbols;
        }
        if self.is_fairness_eligible(packet) {
            self.added += PARTS * symbols;
            if self.hops(packet.destination) > self.congested_hops {
                self.added_past += PARTS * symbols;
            }
        } else {
            self.used[usize::from(class < CLASS_A)] += symbols;
        }
    }
}

impl Eligibility for Rpr {
    const LEVELS_APART: bool = true;

    fn is_eligible(&self, packet: &Packet) -> bool {
        if self.class(packet) == CLASS_A {
            return self.has_credit(0);
        }
        let is_past = self.hops(packet.destination) > self.congested_hops;
        let own = self.fair.unwrap_or_else(|| self.full());
        !self.is_fairness_eligible(packet) || (self.added < own && (!is_past || self.added_past < self.allowed))
    }
}

impl Link<Self> for Rpr {
    fn carried(&self, packet: &Packet) -> u8 {
        self.class(packet)
    }

    fn emits(&mut self, run: &Run, cycle: u64) {
        self.age_to(cycle);
        if run.kind.is_send() && run.group == CLASS_C {
            self.forwarded += PARTS * u64::from(run.len);
        }
    }
}

impl Messages for Rpr {
    #[inline]
    fn circling(&mut self) -> Option<&mut impl Circling<Self>> {
        Some(self)
    }

    /// A message is for the node before the one that has made it, and goes round to it.
    fn receive(&mut self, message: Run, _: bool, host: Host<'_>) -> Passage {
        self.age_to(host.now);
        if self.hops(message.target) == 1 || self.nodes == 1 {
            self.received = Advice { rate: message.value >> 16, origin: message.value as u16 };
        } else if message.target != self.node {
            self.messages.push_back(message);
        }
        Passage::Ends
    }
}

impl Circling<Self> for Rpr {
    /// Returns an aging interval: once the rates have come to rest, an interval is like the one before it.
    fn period(&self, _: usize, _: u64) -> Option<u64> {
        Some(self.options.aging_cycles)
    }

    fn shift(&mut self, cycles: u64) {
        self.ages_at += cycles;
        self.wakes_at += cycles;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_fullest_rate_is_right() {
        // The longest interval, and the slowest ageing.
        let full = PARTS * (MAX_CYCLES >> 20) * 1024;
        assert_eq!(part_of(full, FULL_RATE), full);
        assert_eq!(part_of(full, FULL_RATE / 5), full / 5);
    }
}
