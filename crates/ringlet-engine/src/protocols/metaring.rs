//! MetaRing: a SAT message that goes round, and quotas k and l (cidon1993; docs/explanation/access-protocols.md,
//! "metaring").
//!
//! A node may send k packets between two visits of the SAT. A node that has sent fewer than l and has more to send
//! keeps the SAT, so that the others use up their k packets and leave room. A node to which none has come for too long
//! makes one; of several the one made last stays.
//!
//! Packets of priorities above 0 have a quota of their own where there are synchronous ones, beside the others' k.

use super::prelude::*;
use crate::values::NEVER;

/// Most packets of a quota.
pub const MAX_QUOTA: u32 = 1_000_000;

/// Options of MetaRing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MetaringSpec {
    /// Packets that a node may send between two visits of the SAT, at most: k.
    pub most_packets: u32,
    /// Packets without which a node that has more to send is not satisfied: l, at most k.
    pub least_packets: u32,
    /// Length of the SAT.
    pub sat_symbols: u32,
    /// Cycles since the SAT has left after which a node makes another one, if none has come; `None`: it never does.
    pub sat_timeout_cycles: Option<u64>,
    /// Synchronous packets, those of priorities above 0, that a node may send between two visits of the SAT beside
    /// `most_packets` others: one number for all nodes of the ring, or one for each. Empty: there are no classes, and
    /// at a node with 0 there are none either.
    #[serde(default)]
    pub synchronous_packets: Vec<u32>,
}

impl MetaringSpec {
    /// Options from which tests and benches start; a rule that is added is off in them.
    pub const EXAMPLE: Self = Self {
        most_packets: 2,
        least_packets: 1,
        sat_symbols: 4,
        sat_timeout_cycles: None,
        synchronous_packets: Vec::new(),
    };
}

impl Options for MetaringSpec {
    type Protocol = Metaring;

    fn check(&self, spec: &NetworkSpec) -> Result<(), SpecError> {
        let (most, least) = (self.most_packets, self.least_packets);
        check((1..=MAX_QUOTA).contains(&most), "flow_control.most_packets", most, format!("1 to {MAX_QUOTA}"))?;
        check((1..=most).contains(&least), "flow_control.least_packets", least, format!("1 to {most}"))?;
        if let Some(timeout) = self.sat_timeout_cycles {
            // While a node makes a SAT the last one is still leaving.
            let allowed = u64::from(self.sat_symbols) + 1..=MAX_CYCLES >> 5;
            let said = format!("{} to {}", allowed.start(), allowed.end());
            check(allowed.contains(&timeout), "flow_control.sat_timeout_cycles", timeout, said)?;
        }
        let quotas = &self.synchronous_packets;
        let ok = quotas.len() <= 1 || quotas.len() == spec.nodes as usize;
        let allowed = format!("none, 1, or {}, one per node of the ring", spec.nodes);
        check(ok, "flow_control.synchronous_packets", format!("{} values", quotas.len()), allowed)?;
        for (place, &quota) in quotas.iter().enumerate() {
            let path = format!("flow_control.synchronous_packets[{place}]");
            check(quota <= MAX_QUOTA, path, quota, format!("at most {MAX_QUOTA}"))?;
        }
        check_length("sat_symbols", self.sat_symbols)
    }

    fn limits(&self, _: RingShape) -> Limits {
        let survives_losses = self.sat_timeout_cycles.is_some();
        Limits { survives_losses, joins: true, takes_slow_links: true, ..Limits::default() }
    }
}

type Host<'a> = super::Host<'a, Metaring>;

/// One node's quotas.
#[derive(Debug, Clone, Encode, Serialize, Deserialize)]
pub(crate) struct Metaring {
    #[encode(skip)]
    most: u32,
    #[encode(skip)]
    least: u32,
    #[encode(skip)]
    sat_symbols: u32,
    #[encode(skip)]
    timeout: Option<u64>,
    /// Synchronous packets that the node may send between two visits of the SAT; 0: all its packets are of one class.
    #[encode(skip)]
    synchronous: u32,
    #[encode(skip)]
    node: u16,
    /// Is the SAT here?
    has_sat: bool,
    /// Packets sent since the SAT has left, without synchronous ones.
    sent: u32,
    /// Synchronous packets sent since then.
    sent_synchronous: u32,
    /// Identity of the SAT that was here last: SATs made before it, and the node that has made it.
    last: u32,
    /// Cycle in which the node makes a SAT; [`NEVER`]: it does not.
    #[encode(due)]
    makes_at: u64,
}

impl Metaring {
    fn timeout_from(&self, now: u64) -> u64 {
        self.timeout.map_or(NEVER, |timeout| now + timeout)
    }

    fn is_synchronous(&self, priority: u8) -> bool {
        self.synchronous > 0 && priority > 0
    }

    /// The node makes a SAT if none has come for too long by cycle `now`: it is lost.
    fn make_by(&mut self, now: u64) {
        if self.makes_at <= now {
            // With the node in the lower bits, of two SATs with one count that of the higher node is the later one.
            self.last = ((self.last >> 16) + 1) << 16 | u32::from(self.node);
            (self.has_sat, self.makes_at) = (true, NEVER);
        }
    }
}

/// The SAT is always somewhere: a ring at rest has it, too, and no other.
fn encode_sat(sat: &Run, encoder: &mut Encoder<'_>) {
    encoder.put(sat.value);
    encoder.count_tokens(1);
}

impl Protocol for Metaring {
    type Options = MetaringSpec;
    type Ring = ();
    type Counts = ();

    fn new(options: &MetaringSpec, _: &NetworkSpec, node: u32, _: IdleWord) -> Self {
        let quotas = &options.synchronous_packets;
        let mut new = Self {
            most: options.most_packets,
            least: options.least_packets,
            sat_symbols: options.sat_symbols,
            timeout: options.sat_timeout_cycles,
            synchronous: if quotas.len() > 1 { quotas[node as usize] } else { quotas.first().map_or(0, |all| *all) },
            node: node as u16,
            has_sat: node == 0,
            sent: 0,
            sent_synchronous: 0,
            last: 0,
            makes_at: NEVER,
        };
        if !new.has_sat {
            new.makes_at = new.timeout_from(0);
        }
        new
    }

    fn prepare(&self, encoder: &mut Encoder<'_>) {
        encoder.count_tokens(self.has_sat.into());
        encoder.encode_message = encode_sat;
    }

    fn blocked_by(&self, head: Option<&Packet>) -> Option<String> {
        let Self { sent, has_sat, .. } = self;
        head.map(|_| {
            format!("{sent} packets sent since the SAT left, which is {}", if *has_sat { "here" } else { "away" })
        })
    }
}

impl IdleRules for Metaring {}

impl Scheduler for Metaring {
    const FOLLOWS_QUEUES: bool = true;

    #[inline]
    fn selection(&self) -> &impl Eligibility {
        self
    }

    fn wakes_at(&self) -> u64 {
        self.makes_at
    }

    fn wake(&mut self, now: u64) {
        self.make_by(now);
    }

    fn next(&mut self, _: IdleWord, host: Host<'_>) -> Next {
        self.make_by(host.now);
        let head = host.head();
        // A synchronous head has its quota left.
        let has_synchronous = head.is_some_and(|head| self.is_synchronous(head.priority));
        if self.has_sat && (head.is_none() || (!has_synchronous && self.sent >= self.least)) {
            self.has_sat = false;
            (self.sent, self.sent_synchronous) = (0, 0);
            self.makes_at = self.timeout_from(host.now);
            if self.selects() {
                // What a quota kept back may be head again.
                host.transmit.choose_again(host.now + 1);
            }
            Next::Bare(Run::message(self.sat_symbols, 0, self.last))
        } else if !host.bypass.is_empty() {
            Next::Bypass(0)
        } else if has_synchronous || (head.is_some() && self.sent < self.most) {
            Next::Head
        } else {
            Next::Nothing
        }
    }

    fn own_packet(&mut self, packet: u32, step: Step, host: Host<'_>) {
        if step != Step::Begins {
            return;
        }
        if self.selects() && self.is_synchronous(host.hosts.packets[packet].priority) {
            self.sent_synchronous += 1;
        } else {
            self.sent += 1;
        }
    }
}

impl Eligibility for Metaring {
    const LEVELS_APART: bool = true;

    #[inline]
    fn selects(&self) -> bool {
        self.synchronous > 0
    }

    fn is_eligible(&self, packet: &Packet) -> bool {
        if self.is_synchronous(packet.priority) {
            self.sent_synchronous < self.synchronous
        } else {
            self.sent < self.most
        }
    }
}

impl Messages for Metaring {
    #[inline]
    fn circling(&mut self) -> Option<&mut impl Circling<Self>> {
        Some(self)
    }

    /// The SAT is taken in, and goes on behind an idle. One that was made before the last one seen here was not lost,
    /// and ends.
    fn receive(&mut self, sat: Run, _: bool, host: Host<'_>) -> Passage {
        self.make_by(host.now);
        // As serial numbers are compared: the count of SATs made may overflow.
        if sat.value.wrapping_sub(self.last) as i32 >= 0 {
            self.last = sat.value;
            (self.has_sat, self.makes_at) = (true, NEVER);
        }
        Passage::Ends
    }
}

impl Circling<Self> for Metaring {
    fn shift(&mut self, cycles: u64) {
        if self.makes_at != NEVER {
            self.makes_at += cycles;
        }
    }
}
