//! SCI with send priorities: a low and a high go bit, an estimate of the ring's highest waiting priority, and a reserve
//! for the low class.
//!
//! A reading of public protocol facts, not of the standard's text; docs/explanation/model.md, "Priorities in `sci`",
//! says which part is which.

mod reserve;

use reserve::Reserve;

use super::go_bits::{Extension, GoBits, Release};
use super::grouped::{Grouped, GroupedSpec, Permit};
use super::prelude::*;

/// Send priorities of SCI.
pub const MAX_PRIORITIES: u8 = 4;

/// Thousandths of the bandwidth that may be reserved at most.
pub const MAX_RESERVE_PERMILLE: u16 = 500;

/// Options of SCI's go bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SciSpec {
    /// Created idles that copy go bits.
    pub extension: Extension,
    /// Go bits of the idle behind an own packet while the bypass FIFO is not empty.
    pub release: Release,
    /// 1: one go bit, as picker1994 describes it. 2 to 4: send priorities with a low and a high go bit.
    pub priorities: u8,
    /// Thousandths of the symbols on each link that are reserved for the low class, up to [`MAX_RESERVE_PERMILLE`]; 0:
    /// none.
    #[serde(default)]
    pub reserve_permille: u16,
}

impl SciSpec {
    /// Options from which tests and benches start; a rule that is added is off in them.
    pub const EXAMPLE: Self =
        Self { extension: Extension::Received, release: Release::Unblocked, priorities: 1, reserve_permille: 0 };
}

impl Options for SciSpec {
    type Protocol = SciPriorities;

    fn check(&self, _: &NetworkSpec) -> Result<(), SpecError> {
        let priorities = self.priorities;
        let allowed = format!("1 to {MAX_PRIORITIES}");
        check((1..=MAX_PRIORITIES).contains(&priorities), "flow_control.priorities", priorities, allowed)?;
        let reserve = self.reserve_permille;
        let most = if priorities > 1 { MAX_RESERVE_PERMILLE } else { 0 };
        let allowed = format!("0 to {MAX_RESERVE_PERMILLE}, and 0 with one priority");
        check(reserve <= most, "flow_control.reserve_permille", reserve, allowed)
    }

    fn limits(&self, _: RingShape) -> Limits {
        // Its own send priorities restrict the levels of the FIFOs.
        let levels = if self.priorities > 1 { u16::from(self.priorities) } else { u16::MAX };
        Limits {
            levels,
            survives_losses: true,
            joins: true,
            holds_what_passes: true,
            // Estimates of priorities are collected idle by idle, of which a slow link leaves some out.
            takes_slow_links: self.priorities == 1,
            ..Limits::default()
        }
    }

    fn select<U: WithProtocol>(&self, user: U) -> U::Output {
        let &Self { extension, release, priorities, .. } = self;
        if priorities > 1 {
            return user.with::<SciPriorities>(self);
        }
        // picker1994, Section 3.1, with one group is SCI's protocol.
        user.with::<Grouped<IdleWord>>(&GroupedSpec { permit: Permit::Any, extension, release, groups: 1 })
    }
}

const LOW_GO: IdleWord = 1;
const HIGH_GO: IdleWord = 2;
const GO_BITS: IdleWord = LOW_GO | HIGH_GO;
/// The idle is of the low type.
const LOW_TYPE: IdleWord = 4;
const ANNOUNCED_SHIFT: u32 = 16;
const COLLECTING_SHIFT: u32 = 18;

fn announced(word: IdleWord) -> u8 {
    (word >> ANNOUNCED_SHIFT & 3) as u8
}

fn collecting(word: IdleWord) -> u8 {
    (word >> COLLECTING_SHIFT & 3) as u8
}

/// The idles of such a ring, which carry more than go bits.
#[derive(Debug, Default, Clone, Encode, Serialize, Deserialize)]
pub(crate) struct PriorityIdles;

impl IdleStates for PriorityIdles {
    #[inline]
    fn go_bits(&self, word: IdleWord) -> IdleWord {
        word & GO_BITS
    }
}

/// One node's go bits and priority estimates.
#[derive(Debug, Clone, Encode, Serialize, Deserialize)]
pub(crate) struct SciPriorities {
    go: GoBits<IdleWord>,
    /// The last received idle: its estimates.
    received: IdleWord,
    /// Has no packet come in, nor an echo, since the last idle with a high go bit?
    is_clear: bool,
    head: Option<Head>,
    /// Go bits withheld; stays when there is no head.
    withheld: IdleWord,
    #[encode(skip)]
    is_scrubber: bool,
    #[encode(skip)]
    highest: u8,
    reserve: Reserve,
}

impl SciPriorities {
    /// Is a head in the class that holds the ring's highest priority?
    fn is_high(&self, head: Head) -> bool {
        head.priority >= announced(self.received)
    }

    /// Go bits that a node withholds even if its bypass FIFO is empty, with these estimates received: those of the
    /// class that owes, with a reserve; without one the low one while a packet of the high class waits, behind which
    /// every low node would else have a turn for each of its own (model.md, "Priorities in `sci`").
    fn kept(&self, received: IdleWord) -> IdleWord {
        let is_above = |head: Head| head.priority > 0 && head.priority >= announced(received);
        if self.reserve.is_on() {
            if self.owes() { self.withheld } else { 0 }
        } else if self.head.is_some_and(is_above) {
            LOW_GO
        } else {
            0
        }
    }

    /// The go bit that lets a head be sent.
    fn needed(&self, head: Head) -> IdleWord {
        if self.is_high(head) { HIGH_GO } else { LOW_GO }
    }

    fn update_withheld(&mut self) {
        if let Some(head) = self.head {
            // The high class withholds both go bits, the low class its own (model.md, "Priorities in `sci`").
            self.withheld = self.needed(head) | LOW_GO;
        }
    }

    /// Takes the estimates out of an idle that comes in and leaves its go bits.
    fn estimate(&mut self, idle: IdleIn) -> IdleIn {
        let IdleIn::Received(word) = idle else { return idle };
        self.received = word;
        self.is_clear |= word & HIGH_GO != 0;
        self.update_withheld();
        IdleIn::Received(word & GO_BITS)
    }

    /// The estimates to be sent on, announced and collecting, of those that have been `received`.
    fn estimates(&self, received: IdleWord) -> (u8, u8) {
        let own = self.head.map_or(0, |head| head.priority);
        let (estimate, count) = (announced(received), collecting(received));
        // Node 0 ends one collection and starts the next.
        if self.is_scrubber { (count.max(own), own) } else { (estimate, count.max(own)) }
    }

    /// An idle that is emitted, but for its go bits: its type, by the reserve's account, and the estimates.
    fn without_go_bits(&mut self, emit: impl FnOnce(&mut Reserve, bool) -> bool) -> IdleWord {
        let (announced, collecting) = self.estimates(self.received);
        let is_low = self.reserve.is_on() && emit(&mut self.reserve, announced > 0);
        let low_type = if is_low { LOW_TYPE } else { 0 };
        low_type | IdleWord::from(announced) << ANNOUNCED_SHIFT | IdleWord::from(collecting) << COLLECTING_SHIFT
    }

    /// Do all saved go bits leave with the idle behind a packet? If not, those that stay.
    fn withholds(&self, fifo_empty: bool) -> (bool, IdleWord) {
        let kept = self.kept(self.received);
        (fifo_empty && kept == 0, if fifo_empty { kept } else { self.withheld })
    }

    /// Does a debt keep the head from being sent? Then the node recovers, even if its bypass FIFO is empty.
    fn owes(&self) -> bool {
        self.reserve.is_on() && self.head.is_some_and(|head| !self.reserve.permits(self.is_high(head)))
    }
}

/// Is an idle that a node takes in of the low type?
fn is_low_type(idle: IdleIn) -> bool {
    matches!(idle, IdleIn::Received(word) if word & LOW_TYPE != 0)
}

impl Protocol for SciPriorities {
    type Options = SciSpec;
    type Ring = PriorityIdles;
    type Counts = ();

    fn new(options: &SciSpec, spec: &NetworkSpec, node: u32, initial: IdleWord) -> Self {
        let go = GoBits::new(options.extension, options.release, initial & GO_BITS);
        let is_scrubber = node == 0;
        Self {
            go,
            received: initial,
            is_clear: false,
            head: None,
            withheld: 0,
            is_scrubber,
            highest: options.priorities - 1,
            reserve: Reserve::new(options.reserve_permille, is_scrubber, spec.longer_than_sci()),
        }
    }

    fn prepare(&self, encoder: &mut Encoder<'_>) {
        self.go.prepare(encoder);
    }
}

impl IdleRules for SciPriorities {
    // One revolution to collect that no node waits, one to announce it, one to give all idles the high type, one in
    // which nothing changes.
    const AT_REST: AtRest = AtRest::RepeatsAfter(4);

    fn initial_idle(_: &SciSpec, spec: &NetworkSpec, _: &mut PriorityIdles) -> IdleWord {
        GO_BITS & !spec.lost_go_bits()
    }

    #[inline]
    fn go_bits(&mut self) -> Option<&mut impl KeepsGoBits<PriorityIdles>> {
        Some(self)
    }

    fn pass(&mut self, idle: IdleIn, _: &mut PriorityIdles) -> IdleWord {
        let waits = self.head.is_some();
        let low = is_low_type(idle);
        let idle = self.estimate(idle);
        let word = self.without_go_bits(|reserve, announces| reserve.pass(low, announces));
        let kept = self.kept(self.received);
        if !self.reserve.is_on() && kept == 0 && self.go.saved() == 0 {
            return word | self.go.pass(idle, waits, &mut ());
        }
        // With a reserve, else those upstream would take for themselves what comes to repay the debt (model.md,
        // "A reserve for the low class").
        word | self.go.pass_withholding(idle, waits, kept, &mut ())
    }

    fn absorb(&mut self, idle: IdleIn, count: u32, _: &PriorityIdles) {
        if self.reserve.is_on() {
            self.reserve.absorb(is_low_type(idle), count);
        }
        let idle = self.estimate(idle);
        self.go.absorb(idle, count, &());
    }

    fn idle_behind(&mut self, packet: Behind, fifo_empty: bool, _: &mut PriorityIdles) -> IdleWord {
        match packet {
            Behind::Own { last_absorbed_created } => {
                let word = self.without_go_bits(Reserve::behind_own);
                let (all, withheld) = self.withholds(fifo_empty);
                word | self.go.after_send(fifo_empty, last_absorbed_created, all, withheld, &mut ())
            }
            Behind::Bypassed => {
                let word = self.without_go_bits(Reserve::separator);
                let (all, withheld) = self.withholds(fifo_empty);
                word | self.go.send_on(all, withheld, &mut ())
            }
        }
    }

    fn permits(&self, emitted: IdleWord) -> bool {
        self.head.is_some_and(|head| emitted & self.needed(head) != 0) && !self.owes()
    }
}

impl KeepsGoBits<PriorityIdles> for SciPriorities {
    fn set_head(&mut self, head: Option<Head>) {
        // A packet may come from a ring with more priorities.
        self.head = head.map(|head| Head { priority: head.priority.min(self.highest), ..head });
        self.update_withheld();
    }

    fn counts_idles(&self, idle: IdleIn, _: &PriorityIdles) -> bool {
        let received = if let IdleIn::Received(word) = idle { word } else { self.received };
        if !self.reserve.is_on() {
            return self.go.saved() & !self.kept(received) != 0;
        }
        self.go.saved() != 0 || self.reserve.counts(is_low_type(idle), self.estimates(received).0 > 0)
    }

    fn strips(&mut self, what: Stripped) {
        self.go.strips(what);
        // An own echo directly behind a high go bit: in a whole round nobody has used that (model.md, "Priorities in
        // `sci`").
        let is_unused = std::mem::take(&mut self.is_clear) && what == Stripped::Echo;
        if is_unused && announced(self.received) > 0 {
            self.go.save(HIGH_GO);
        }
    }

    fn sent(&mut self, _: bool) {
        self.go.sent();
    }

    fn saved(&self) -> IdleWord {
        self.go.saved()
    }
}

impl Scheduler for SciPriorities {
    #[inline]
    fn link(&mut self) -> Option<&mut impl Link<Self>> {
        Some(self)
    }

    fn own_packet(&mut self, _: u32, step: Step, _: super::Host<'_, Self>) {
        if step == Step::Begins
            && let Some(head) = self.head
        {
            let high = self.is_high(head);
            self.reserve.sends(high);
        }
    }
}

impl Link<Self> for SciPriorities {
    fn passes(&mut self) {
        self.is_clear = false;
    }

    fn emits(&mut self, run: &Run, _: u64) {
        if self.reserve.is_on() {
            self.reserve.emits(run.len);
        }
    }
}

impl Messages for SciPriorities {}
