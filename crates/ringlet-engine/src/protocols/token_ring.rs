//! Token ring: who holds the token may send (bux1981; docs/explanation/access-protocols.md, "token-ring").

use super::prelude::*;

/// Most packets that a node may send while it holds the token.
pub const MAX_HELD_PACKETS: u32 = 1_000_000;

/// The node that makes a token in place of a lost one: IEEE 802.5's active monitor.
const MONITOR: u16 = 0;

/// Options of a token ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenRingSpec {
    /// Packets that a node may send while it holds the token.
    pub packets: u32,
    /// Moment at which the node sends the token on.
    pub release: TokenRelease,
    /// Length of the token.
    pub token_symbols: u32,
}

/// The moment at which a node that has sent its packets sends the token on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TokenRelease {
    /// The token follows the last packet: Bux's multiple-token operation.
    Early,
    /// The token follows the last packet, but not before the header of that has had time to come round: single-token
    /// operation, as in IEEE 802.5.
    Header,
    /// Single-packet operation. The token follows once the echoes of all its packets have come back; of one that is
    /// lost, once its sender times out.
    Returned,
}

impl TokenRingSpec {
    /// Options from which tests and benches start; a rule that is added is off in them.
    pub const EXAMPLE: Self = Self { packets: 1, release: TokenRelease::Early, token_symbols: 4 };
}

impl Options for TokenRingSpec {
    type Protocol = TokenRing;

    fn check(&self, _: &NetworkSpec) -> Result<(), SpecError> {
        let (packets, allowed) = (self.packets, format!("1 to {MAX_HELD_PACKETS}"));
        check((1..=MAX_HELD_PACKETS).contains(&packets), "flow_control.packets", packets, allowed)?;
        check_length("token_symbols", self.token_symbols)
    }

    fn limits(&self, _: RingShape) -> Limits {
        let returned = self.release == TokenRelease::Returned;
        // A node that waits for its header reckons with its way round at the ring's rate.
        let takes_slow_links = self.release != TokenRelease::Header;
        Limits { needs_echoes: returned, survives_losses: true, takes_slow_links, ..Limits::default() }
    }
}

type Host<'a> = super::Host<'a, TokenRing>;

/// One node's part.
#[derive(Debug, Clone, Encode, Serialize, Deserialize)]
pub(crate) struct TokenRing {
    #[encode(skip)]
    options: TokenRingSpec,
    has_token: bool,
    /// Packets sent since the token came.
    sent: u32,
    /// Cycles from a packet's first symbol until its header has come round, which is as long as the token.
    #[encode(skip)]
    round_cycles: u64,
    #[encode(skip)]
    is_alone: bool,
    /// Cycle in which the last symbol of the header that was sent last comes round.
    #[encode(due)]
    round_at: u64,
}

impl Protocol for TokenRing {
    type Options = TokenRingSpec;
    type Ring = ();
    type Counts = ();

    fn new(options: &TokenRingSpec, spec: &NetworkSpec, node: u32, _: IdleWord) -> Self {
        // `N D + M - 1` of access-protocols.md, "token-ring".
        let round_cycles = spec.around_cycles() + u64::from(options.token_symbols) - 1;
        let is_alone = spec.nodes == 1;
        Self { options: *options, has_token: node == 0, sent: 0, round_cycles, is_alone, round_at: 0 }
    }

    /// The token is always somewhere: a ring at rest has it, too.
    fn prepare(&self, encoder: &mut Encoder<'_>) {
        encoder.encode_message = |_, _| {};
    }

    fn blocked_by(&self, head: Option<&Packet>) -> Option<String> {
        head.map(|_| format!("the token is {}", if self.has_token { "here" } else { "away" }))
    }
}

impl IdleRules for TokenRing {}

impl Scheduler for TokenRing {
    const FOLLOWS_QUEUES: bool = true;

    fn next(&mut self, _: IdleWord, host: Host<'_>) -> Next {
        if !host.bypass.is_empty() {
            return Next::Bypass(0);
        }
        if !self.has_token {
            return Next::Nothing;
        }
        if self.sent < self.options.packets && host.transmit.head().is_some() {
            return Next::Head;
        }
        match self.options.release {
            TokenRelease::Header if host.now < self.round_at => {
                // It sends no more while it waits.
                self.sent = self.options.packets;
                // Of a node alone on its ring an echo of its own may come by meanwhile, which passes.
                return Next::Hold(if self.is_alone { host.now + 1 } else { self.round_at });
            }
            TokenRelease::Returned if host.transmit.awaits_echoes() => return Next::Nothing,
            _ => {}
        }
        self.has_token = false;
        self.sent = 0;
        Next::Bare(Run::message(self.options.token_symbols, MONITOR, 0))
    }

    fn own_packet(&mut self, _: u32, step: Step, host: Host<'_>) {
        if step != Step::Begins {
            return;
        }
        self.sent += 1;
        if self.options.release == TokenRelease::Header {
            self.round_at = host.now + self.round_cycles;
        }
    }
}

impl Messages for TokenRing {
    fn circling(&mut self) -> Option<&mut impl Circling<Self>> {
        Some(self)
    }

    #[inline]
    fn losses(&mut self) -> Option<&mut impl Losses<Self>> {
        Some(self)
    }

    /// The token is taken in, and goes on behind an idle.
    fn receive(&mut self, _: Run, _: bool, _: Host<'_>) -> Passage {
        self.has_token = true;
        Passage::Ends
    }
}

impl Circling<Self> for TokenRing {}

impl Losses<Self> for TokenRing {
    /// The monitor makes another token.
    fn missed(&mut self, _: Run, _: Host<'_>) {
        self.has_token = true;
    }
}
