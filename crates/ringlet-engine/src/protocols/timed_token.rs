//! Timed token ring: FDDI's rules, by which a node sends its share of synchronous traffic with every token, and
//! asynchronous traffic only with one that comes early (sevcik1987; docs/explanation/access-protocols.md,
//! "timed-token").

use super::prelude::*;

/// The node that makes a token in place of a lost one.
const MONITOR: u16 = 0;

/// The longest target rotation time.
const MAX_TARGET_CYCLES: u64 = MAX_CYCLES >> 5;

/// Options of a timed token ring.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimedTokenSpec {
    /// Target rotation time: TTRT.
    pub target_cycles: u64,
    /// Symbols of synchronous packets, with their idles, that a node may send with each token: one number for all
    /// nodes of the ring, or one for each.
    pub synchronous_symbols: Vec<u64>,
    /// Time that must be left for a packet of each asynchronous priority, from 0 on, to begin: T_Pri. None is more than
    /// the one before. Higher priorities are synchronous.
    pub threshold_cycles: Vec<u64>,
    /// Length of the token.
    pub token_symbols: u32,
}

impl TimedTokenSpec {
    /// The synchronous shares of all nodes of a ring, together.
    fn shares(&self, nodes: u32) -> u64 {
        let times = if self.synchronous_symbols.len() == 1 { nodes.into() } else { 1 };
        self.synchronous_symbols.iter().fold(0, |sum: u64, share| sum.saturating_add(*share)).saturating_mul(times)
    }

    /// The room that the target leaves to an asynchronous packet that begins at the last moment, and its idle: the
    /// shares, and a rotation in which nothing is sent, are taken off.
    fn room(&self, nodes: u32, around_cycles: u64) -> u64 {
        let empty = (around_cycles + u64::from(nodes)).max(self.token_symbols.into());
        self.target_cycles.saturating_sub(self.shares(nodes).saturating_add(empty))
    }
}

impl Options for TimedTokenSpec {
    type Protocol = TimedToken;

    fn check(&self, spec: &NetworkSpec) -> Result<(), SpecError> {
        check_length("token_symbols", self.token_symbols)?;
        let (shares, thresholds) = (&self.synchronous_symbols, &self.threshold_cycles);
        let ok = shares.len() == 1 || shares.len() == spec.nodes as usize;
        let allowed = format!("1, or {}, one per node of the ring", spec.nodes);
        check(ok, "flow_control.synchronous_symbols", format!("{} values", shares.len()), allowed)?;
        let target = self.target_cycles;
        let allowed = format!("at most {MAX_TARGET_CYCLES}");
        check(target <= MAX_TARGET_CYCLES, "flow_control.target_cycles", target, allowed)?;
        let least = u64::from(spec.format.min_send_symbols()) + 1;
        let room = self.room(spec.nodes, spec.around_cycles());
        let allowed = "at least the synchronous shares, an empty rotation, and the shortest packet with its idle";
        check(room >= least, "flow_control.target_cycles", target, allowed)?;
        let levels = thresholds.len();
        check((1..=255).contains(&levels), "flow_control.threshold_cycles", format!("{levels} values"), "1 to 255")?;
        for (level, &threshold) in thresholds.iter().enumerate() {
            // Below the target: no token leaves more than that, and a packet needs more than its threshold.
            let most = level.checked_sub(1).map_or(target - 1, |before| thresholds[before]);
            let path = format!("flow_control.threshold_cycles[{level}]");
            check(threshold <= most, path, threshold, format!("at most {most}"))?;
        }
        Ok(())
    }

    fn limits(&self, ring: RingShape) -> Limits {
        let room = self.room(ring.nodes, ring.around_cycles).min(u32::MAX.into()) as u32;
        Limits { bypass_symbols: Some(room), survives_losses: true, ..Limits::default() }
    }
}

type Host<'a> = super::Host<'a, TimedToken>;

/// One node's timers.
#[derive(Debug, Clone, Encode, Serialize, Deserialize)]
pub(crate) struct TimedToken {
    #[encode(skip)]
    target: u64,
    #[encode(skip)]
    share: u64,
    #[encode(skip)]
    thresholds: Box<[u64]>,
    #[encode(skip)]
    token_symbols: u32,
    has_token: bool,
    /// Cycle in which the token rotation timer (TRT) began to run the last time.
    #[encode(age)]
    began: u64,
    /// Cycles left in which an asynchronous packet may begin: the token holding timer (THT), which runs only while
    /// such packets are sent. 0 without the token, and with a late one.
    left: u64,
    /// Symbols left of the node's synchronous share.
    share_left: u64,
}

impl TimedToken {
    /// Is the packet of the synchronous class? One that is longer than the node's share never could be.
    fn is_synchronous(&self, priority: u8, symbols: u32) -> bool {
        // Less than the share, since a packet counts with its idle.
        usize::from(priority) >= self.thresholds.len() && u64::from(symbols) < self.share
    }

    /// The token is here from cycle `now` on, by which the timers go on.
    fn take(&mut self, now: u64) {
        let elapsed = now - self.began;
        self.has_token = true;
        self.left = self.target.saturating_sub(elapsed);
        self.began = if self.left > 0 { now } else { self.began + elapsed / self.target * self.target };
    }

    /// The time that must be left for an asynchronous packet to begin.
    fn threshold(&self, priority: u8) -> u64 {
        self.thresholds[usize::from(priority).min(self.thresholds.len() - 1)]
    }
}

impl Protocol for TimedToken {
    type Options = TimedTokenSpec;
    type Ring = ();
    type Counts = ();

    fn new(options: &TimedTokenSpec, _: &NetworkSpec, node: u32, _: IdleWord) -> Self {
        let TimedTokenSpec { target_cycles: target, synchronous_symbols, threshold_cycles, token_symbols } = options;
        let share = synchronous_symbols[if synchronous_symbols.len() == 1 { 0 } else { node as usize }];
        let has_token = node == 0;
        Self {
            target: *target,
            share,
            thresholds: threshold_cycles.clone().into(),
            token_symbols: *token_symbols,
            has_token,
            began: 0,
            left: if has_token { *target } else { 0 },
            share_left: share,
        }
    }

    /// The token is always somewhere: a ring at rest has it, too.
    fn prepare(&self, encoder: &mut Encoder<'_>) {
        encoder.encode_message = |_, _| {};
    }

    fn blocked_by(&self, head: Option<&Packet>) -> Option<String> {
        head.map(|_| format!("the token is {}", if self.has_token { "here" } else { "away" }))
    }
}

impl IdleRules for TimedToken {}

impl Scheduler for TimedToken {
    const FOLLOWS_QUEUES: bool = true;

    #[inline]
    fn selection(&self) -> &impl Eligibility {
        self
    }

    fn next(&mut self, _: IdleWord, host: Host<'_>) -> Next {
        if !host.bypass.is_empty() {
            return Next::Bypass(0);
        }
        if !self.has_token {
            return Next::Nothing;
        }
        if let Some(head) = host.head()
            && (self.is_synchronous(head.priority, head.symbols) || self.left > self.threshold(head.priority))
        {
            return Next::Head;
        }
        (self.has_token, self.left, self.share_left) = (false, 0, self.share);
        // What the share kept back may be head again. A ring without packets is left alone: an event at a node
        // keeps rounds of the token from being left out.
        if host.transmit.has_waiting() {
            host.transmit.choose_again(host.now + 1);
        }
        Next::Bare(Run::message(self.token_symbols, MONITOR, 0))
    }

    fn own_packet(&mut self, packet: u32, step: Step, host: Host<'_>) {
        if step != Step::Begins {
            return;
        }
        let packet = &host.hosts.packets[packet];
        let symbols = packet.symbols.into();
        let cycles = u64::from(symbols) + 1;
        if self.is_synchronous(packet.priority, symbols) {
            self.share_left -= cycles;
        } else {
            self.left = self.left.saturating_sub(cycles);
        }
    }
}

impl Eligibility for TimedToken {
    const LEVELS_APART: bool = true;

    fn is_eligible(&self, packet: &Packet) -> bool {
        let symbols = packet.symbols.into();
        !self.is_synchronous(packet.priority, symbols) || u64::from(symbols) < self.share_left
    }
}

impl Messages for TimedToken {
    #[inline]
    fn circling(&mut self) -> Option<&mut impl Circling<Self>> {
        Some(self)
    }

    #[inline]
    fn losses(&mut self) -> Option<&mut impl Losses<Self>> {
        Some(self)
    }

    /// The token is taken in, and goes on behind an idle. The rotation timer starts again; with a late token it has, at
    /// the moment at which it expired, so that the delay counts in the next rotation.
    fn receive(&mut self, _: Run, _: bool, host: Host<'_>) -> Passage {
        self.take(host.now);
        Passage::Ends
    }
}

impl Losses<Self> for TimedToken {
    /// The monitor makes another token, which comes as late as the lost one is missed.
    fn missed(&mut self, _: Run, host: Host<'_>) {
        self.take(host.now);
    }
}

impl Circling<Self> for TimedToken {
    fn shift(&mut self, cycles: u64) {
        self.began += cycles;
    }
}
