//! MetaRing: a SAT message that goes round, and quotas k and l (cidon1993; docs/explanation/access-protocols.md,
//! "metaring").
//!
//! A node may send k packets between two visits of the SAT. A node that has sent fewer than l and has more to send
//! keeps the SAT, so that the others use up their k packets and leave room.

use super::prelude::*;

/// Most packets of a quota.
pub const MAX_QUOTA: u32 = 1_000_000;

/// Options of MetaRing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MetaringSpec {
    /// Packets that a node may send between two visits of the SAT, at most: k.
    pub most_packets: u32,
    /// Packets without which a node that has more to send is not satisfied: l, at most k.
    pub least_packets: u32,
    /// Length of the SAT.
    pub sat_symbols: u32,
}

impl Options for MetaringSpec {
    type Protocol = Metaring;

    fn check(&self, _: &NetworkSpec) -> Result<(), SpecError> {
        let (most, least) = (self.most_packets, self.least_packets);
        check((1..=MAX_QUOTA).contains(&most), "flow_control.most_packets", most, format!("1 to {MAX_QUOTA}"))?;
        check((1..=most).contains(&least), "flow_control.least_packets", least, format!("1 to {most}"))?;
        check_length("sat_symbols", self.sat_symbols)
    }
}

type Host<'a> = super::Host<'a, Metaring>;

/// One node's quotas.
#[derive(Debug, Clone, Encode, Serialize, Deserialize)]
pub(crate) struct Metaring {
    #[encode(skip)]
    options: MetaringSpec,
    /// Is the SAT here?
    has_sat: bool,
    /// Packets sent since the SAT has left.
    sent: u32,
}

impl Protocol for Metaring {
    type Options = MetaringSpec;
    type Ring = ();
    type Counts = ();

    fn new(options: &MetaringSpec, _: &NetworkSpec, node: u32, _: IdleWord) -> Self {
        Self { options: *options, has_sat: node == 0, sent: 0 }
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

    fn next(&mut self, _: IdleWord, host: Host<'_>) -> Next {
        let has_head = host.transmit.head().is_some();
        if self.has_sat && (!has_head || self.sent >= self.options.least_packets) {
            self.has_sat = false;
            self.sent = 0;
            Next::Bare(Run::message(self.options.sat_symbols, 0, 0))
        } else if !host.bypass.is_empty() {
            Next::Bypass(0)
        } else if has_head && self.sent < self.options.most_packets {
            Next::Head
        } else {
            Next::Nothing
        }
    }

    fn sends(&mut self, _: u32, _: Host<'_>) {
        self.sent += 1;
    }
}

impl Messages for Metaring {
    /// The SAT is taken in, and goes on behind an idle.
    fn receive(&mut self, _: Run, _: bool, _: Host<'_>) -> Passage {
        self.has_sat = true;
        Passage::Ends
    }

    /// The SAT is always somewhere: a ring at rest has it, too.
    fn encode_message(_: &Run, _: &mut Encoder<'_>) {}
}
