//! The search for a state to which a simulation comes back: from there on it does for ever what it has done since.
//!
//! States are compared as a whole, and so only few of them. Where sources are periodic, a period can only be a
//! multiple of their hyperperiod. Else the deliveries say what it may be: their sequence has the same period, which
//! the failure function of D. E. Knuth, J. H. Morris, V. R. Pratt, "Fast pattern matching in strings", SIAM Journal on
//! Computing 6 (1977), finds in it. A state is kept, and compared with those so many cycles later. The times of both
//! lie further and further apart, as in R. P. Brent, "An improved Monte Carlo factorization algorithm", BIT 20 (1980).
//! On rings at rest idles go round that differ from each other. What passes shifts them by as much in each hyperperiod:
//! they stand as before after so many hyperperiods as divide the revolution of their ring, and of many hyperperiods
//! only such numbers are tried. A token or a train goes round in a time of its own: each state that is looked at is
//! compared with one of long ago, too, which is renewed at powers of two. Where the search costs too much, the run goes
//! on without it.

use ringlet_engine::observe::Delivered;
use ringlet_engine::{Counts, Moment, Simulation};

/// The first cycle from which a state is compared, where deliveries say with which.
const FIRST_CYCLE: u64 = 512;

/// Hyperperiods from this length on are tried by themselves: a state for each costs little.
const LONG_CYCLES: u64 = 4096;

/// Periods of deliveries, or hyperperiods, of which every number is tried; beyond, those that divide a revolution.
const EVERY_MULTIPLE: u64 = 9;

/// Periods that a state may lie behind another one at most.
const MOST_PERIODS: u64 = 4096;

/// Cycles after which deliveries are taken down, so that few of them are put in order at once.
const PIECE_CYCLES: u64 = 2048;

/// Deliveries that are kept at most.
const MOST_DELIVERIES: usize = 1 << 20;

/// Instructions that a number of a state costs, that a delivery costs, and that a node's cycle takes at least, about.
const OF_WORD: u64 = 40;
const OF_DELIVERY: u64 = 400;
const OF_INTERFACE_CYCLE: u64 = 10;

/// The search may cost a run one part in so many of its instructions.
const SHARE: u64 = 80;

/// Instructions that the search may cost in any case: some 20 us.
const FREE: u64 = 200_000;

/// The extent of a simulation that may come back to a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recurs {
    /// Interfaces of the simulation, each of which has a state and takes time in each cycle.
    pub interfaces: u64,
    /// Cycles after which idles have come round on every ring at once.
    pub revolution: u64,
    /// Cycles after which all of its periodic sources stand as before, and the cycle from which on they do, if any are.
    pub hyperperiod: Option<(u64, u64)>,
    /// Cycles of the run, as far as they are known beforehand.
    pub planned: u64,
}

/// A simulation that has come back to a state.
pub struct Recurrence {
    /// Cycle from which on all repeats.
    pub transient_cycles: u64,
    /// Cycles after which it does.
    pub period_cycles: u64,
    /// The simulation with the counts of one period. Its maxima and minima are those of all the measured time, and so
    /// the ones of all time.
    pub period: Simulation,
}

impl std::fmt::Debug for Recurrence {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "period {} after {}", self.period_cycles, self.transient_cycles)
    }
}

/// The step that the search is at.
enum Stage {
    /// Takes deliveries down, and looks in a cycle at what period they have.
    Listens(u64),
    /// Compares a state with those `period` cycles later, twice as much, and so on.
    Compares { kept: Moment, period: u64, at: u64 },
    /// Compares states of hyperperiods: `kept` with those up to `power` hyperperiods later, and the one before which
    /// twice as many hyperperiods have passed as before the last such one, `far`, with all of them.
    Counts { kept: Option<Moment>, far: Option<Moment>, period: u64, power: u64, passed: u64, at: u64 },
    /// Has found a period, and counts what is counted in it.
    Measures { first: u64, period: u64, from: u64, before: Counts },
    /// Has found a period and counted it.
    Repeats { first: u64, period: u64, counts: Counts },
}

/// The search during a run.
pub(crate) struct Search {
    of: Recurs,
    stage: Stage,
    /// Deliveries taken down: the cycle of each, and what distinguishes it from others.
    noted: Vec<(u64, u64)>,
    spent: u64,
}

impl Search {
    pub(crate) fn new(of: Recurs) -> Self {
        let stage = match of.hyperperiod.filter(|&(period, _)| period >= LONG_CYCLES) {
            Some((period, from)) => Stage::Counts { kept: None, far: None, period, power: 1, passed: 0, at: from },
            None => Stage::Listens(FIRST_CYCLE),
        };
        Self { of, stage, noted: Vec::new(), spent: 0 }
    }

    /// The cycle in which it looks at the simulation.
    pub(crate) fn stop(&self) -> u64 {
        match &self.stage {
            Stage::Listens(at) | Stage::Compares { at, .. } | Stage::Counts { at, .. } => *at,
            Stage::Measures { period, from, .. } => from + period,
            Stage::Repeats { .. } => u64::MAX,
        }
    }

    /// The cycle up to which the simulation may go at once.
    pub(crate) fn piece(&self, now: u64) -> u64 {
        if self.listens() { self.stop().min(now + PIECE_CYCLES) } else { self.stop() }
    }

    /// Does it take deliveries down?
    pub(crate) fn listens(&self) -> bool {
        matches!(self.stage, Stage::Listens(_) | Stage::Compares { .. })
    }

    /// Takes a delivery down.
    pub(crate) fn note(&mut self, delivered: &Delivered) {
        let &Delivered { cycle, packet } = delivered;
        let gap = cycle - self.noted.last().map_or(0, |last| last.0);
        let what = [gap, packet.flow.into(), cycle - packet.generated, packet.response.into()];
        // Different deliveries may look alike: the states are compared.
        let mixed =
            what.iter().fold(0u64, |mixed, each| (mixed ^ each).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29));
        self.noted.push((cycle, mixed));
        self.spent += OF_DELIVERY;
    }

    /// Looks at the simulation in the cycle in which it stops; returns whether the search goes on.
    pub(crate) fn look(&mut self, simulation: &mut Simulation) -> bool {
        let now = simulation.cycle();
        let stage = std::mem::replace(&mut self.stage, Stage::Listens(now));
        self.stage = match stage {
            Stage::Listens(at) => match self.period_of_deliveries() {
                Some(period) => Stage::Compares { kept: self.moment(simulation), period, at: now + period },
                None => Stage::Listens(at + at / 2),
            },
            Stage::Compares { kept, period, .. } => {
                let moment = self.moment(simulation);
                let first = kept.cycle();
                if moment.returns_to(&kept) {
                    measures(first, now - first, simulation)
                } else if let Some(next) =
                    self.next_multiple((now - first) / period, (first / period).max(EVERY_MULTIPLE))
                {
                    Stage::Compares { kept, period, at: first + next * period }
                } else {
                    Stage::Listens((first / 2 * 3).max(now + first / 4))
                }
            }
            Stage::Counts { kept, far, period, power, passed, .. } => {
                let moment = self.moment(simulation);
                let before = [&kept, &far].into_iter().flatten().find(|earlier| moment.returns_to(earlier));
                if let Some(earlier) = before {
                    measures(earlier.cycle(), now - earlier.cycle(), simulation)
                } else {
                    let far = self.far(far, &moment, period);
                    match kept {
                        Some(kept) if let Some(next) = self.next_multiple(passed, power) => {
                            let at = kept.cycle() + next * period;
                            Stage::Counts { kept: Some(kept), far, period, power, passed: next, at }
                        }
                        kept => {
                            let power = if kept.is_some() { 2 * power } else { power };
                            Stage::Counts { kept: Some(moment), far, period, power, passed: 1, at: now + period }
                        }
                    }
                }
            }
            Stage::Measures { first, period, before, .. } => {
                let counts = simulation.counts().since(&before);
                if counts.delivered_packets() == 0 {
                    // Where nothing moves, the run finds out whether it has stalled.
                    return false;
                }
                Stage::Repeats { first, period, counts }
            }
            repeats @ Stage::Repeats { .. } => repeats,
        };
        let may_go_on = matches!(self.stage, Stage::Measures { .. } | Stage::Repeats { .. });
        may_go_on || (self.spent <= self.limit(now) && self.noted.len() <= MOST_DELIVERIES)
    }

    /// All counts begin again in the present cycle.
    pub(crate) fn reset(&mut self, simulation: &Simulation) {
        let (Stage::Measures { first, period, .. } | Stage::Repeats { first, period, .. }) = self.stage else { return };
        self.stage = measures(first, period, simulation);
    }

    /// Lets as many periods pass as fit in `cycles` cycles.
    pub(crate) fn leap(&self, simulation: &mut Simulation, cycles: u64) {
        if let Stage::Repeats { period, counts, .. } = &self.stage
            && cycles >= *period
        {
            simulation.repeat(counts, *period, cycles / period);
        }
    }

    /// Has a period been found and measured?
    pub(crate) fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Repeats { .. })
    }

    /// The recurrence of a simulation that is over, if one was found.
    pub(crate) fn found(self, simulation: &Simulation) -> Option<Recurrence> {
        let Stage::Repeats { first, period, counts } = self.stage else { return None };
        Some(Recurrence { transient_cycles: first, period_cycles: period, period: simulation.showing(counts) })
    }

    fn moment(&mut self, simulation: &mut Simulation) -> Moment {
        let moment = simulation.moment();
        self.spent += OF_WORD * moment.words() as u64;
        moment
    }

    /// The state of long ago with which those of hyperperiods are compared: this one, if as many hyperperiods have
    /// passed since the last one as before it.
    fn far(&mut self, far: Option<Moment>, moment: &Moment, period: u64) -> Option<Moment> {
        let is_near = |far: &Moment| moment.cycle() - far.cycle() < far.cycle().max(EVERY_MULTIPLE * period);
        if far.as_ref().is_some_and(is_near) {
            return far;
        }
        // A copy takes less than taking it down.
        self.spent += moment.words() as u64;
        Some(moment.clone())
    }

    /// The next number of periods above `tried` after which a state may come back, at most `most`.
    fn next_multiple(&self, tried: u64, most: u64) -> Option<u64> {
        let revolution = self.of.revolution;
        let within = tried + 1..=most.min(revolution.clamp(EVERY_MULTIPLE, MOST_PERIODS));
        within.into_iter().find(|&next| next <= EVERY_MULTIPLE || revolution.is_multiple_of(next))
    }

    fn limit(&self, now: u64) -> u64 {
        FREE + (OF_INTERFACE_CYCLE * self.of.interfaces).saturating_mul(now.max(self.of.planned)) / SHARE
    }

    /// Cycles after which the later half of the deliveries repeats itself, if more than a third of it is a repetition.
    fn period_of_deliveries(&mut self) -> Option<u64> {
        let half = self.noted.len().div_ceil(2);
        let last = self.noted.last()?.0;
        let backwards = |place: usize| self.noted[self.noted.len() - 1 - place].1;
        // Of each beginning the length of the longest shorter one with which it ends, too.
        let mut border = vec![0usize; half + 1];
        let mut length = 0;
        for end in 1..half {
            while length > 0 && backwards(end) != backwards(length) {
                length = border[length];
            }
            length += usize::from(backwards(end) == backwards(length));
            border[end + 1] = length;
        }
        let period = half - border[half];
        (3 * period <= 2 * half && period < self.noted.len())
            .then(|| last - self.noted[self.noted.len() - 1 - period].0)
            .filter(|&cycles| cycles > 0)
    }
}

/// Begins to measure, in the present cycle, what is counted in a period.
fn measures(first: u64, period: u64, simulation: &Simulation) -> Stage {
    Stage::Measures { first, period, from: simulation.cycle(), before: simulation.counts() }
}
