//! The order in which rings advance (docs/explanation/network-model.md, "Windows").
//!
//! A ring may go on as far as the B-Links at its ports have decided what concerns it, a B-Link decides as much as what
//! it has from its rings settles, and nothing else holds them: every ring has a clock of its own. What is in the
//! cache is therefore used for several windows before the next rings are brought in: the ring that is furthest behind
//! and the rings around it go as far as they can, then others. Which rings those are, and on which thread they go,
//! changes nothing but the time it takes.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::b_link::BLink;
use super::waiting::Waiting;
use super::{Member, PortPlace};
use crate::spec::Clock;

/// Interfaces that are advanced together: what each needs, some 1.3 kB, is to stay in the cache of a core meanwhile.
const INTERFACES_TOGETHER: u32 = 2560;

/// Rings that are: small ones need more for each interface.
const RINGS_TOGETHER: usize = 80;

/// Rings or B-Links, of which one at a time is used: by the only thread, or by one of several.
pub(super) trait Access<T> {
    fn with<R>(&mut self, index: usize, used: impl FnOnce(&mut T) -> R) -> R;
}

impl<T> Access<T> for &mut [T] {
    #[inline]
    fn with<R>(&mut self, index: usize, used: impl FnOnce(&mut T) -> R) -> R {
        used(&mut self[index])
    }
}

impl<T> Access<T> for &[Mutex<&mut T>] {
    #[inline]
    fn with<R>(&mut self, index: usize, used: impl FnOnce(&mut T) -> R) -> R {
        used(&mut self[index].lock().expect("a thread that panics ends the simulation"))
    }
}

/// Cycles through which rings go until all wait for each other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch {
    pub(super) start: u64,
    pub(super) end: u64,
    /// A ring that is not held up by rings behind it may go on for so many cycles at least: few long ways cost less
    /// than many short ones.
    pub(super) window: u64,
}

impl Stretch {
    /// Returns the stretch for a ring with this clock, in the ring's symbols.
    fn of_ring(self, clock: Clock) -> Self {
        Self { start: clock.symbols(self.start), end: clock.symbols(self.end), window: clock.symbols(self.window) }
    }

    /// May a ring at a cycle go to its horizon? All are its own.
    fn lets(self, cycle: u64, horizon: u64) -> bool {
        horizon > cycle && (horizon == self.end || horizon - cycle >= self.window)
    }
}

/// The rings that may advance next.
pub(super) struct Schedule {
    /// The rings behind the switches of each ring.
    neighbours: Vec<Box<[u32]>>,
    /// Interfaces of each ring.
    interfaces: Vec<u32>,
    /// The ports of each ring.
    ports: Vec<Range<u32>>,
    /// The clock of each ring.
    clocks: Vec<Clock>,
    /// Cycle to which each ring has gone, and to which each port lets it go, by the ring's clock.
    cycles: Vec<AtomicU64>,
    horizons: Vec<AtomicU64>,
    claims: Mutex<Claims>,
    waiting: Waiting,
}

/// The rings that threads have taken.
struct Claims {
    claimed: Vec<bool>,
    /// Index at which the search for a ring that is far behind goes on.
    at: usize,
    /// Cycle before which a ring is far behind.
    behind: u64,
}

enum Claim {
    Rings(Vec<u32>),
    /// No ring can be taken at present: those left belong to other threads.
    Wait,
    Done,
}

impl Schedule {
    /// Decisions of the B-Links have changed between two stretches.
    pub(super) fn renew(&mut self, links: &[BLink]) {
        for link in links {
            link.horizons(|port, horizon| *self.horizons[port as usize].get_mut() = horizon);
        }
    }

    /// Builds the schedule of rings that are all at this cycle of the network.
    pub(super) fn new(rings: &[Member], links: &[BLink], cycle: u64) -> Self {
        let neighbours = |member: &Member| {
            let ports = member.ports.iter();
            ports.flat_map(|port| links[port.link as usize].members.iter().map(|other| other.ring)).collect()
        };
        let mut ports = 0;
        let mut ports_of = |member: &Member| {
            let first = ports;
            ports += member.ports.len() as u32;
            first..ports
        };
        let mut schedule = Self {
            neighbours: rings.iter().map(neighbours).collect(),
            interfaces: rings.iter().map(|member| member.ring.places()).collect(),
            ports: rings.iter().map(&mut ports_of).collect(),
            clocks: rings.iter().map(|member| member.clock).collect(),
            cycles: rings.iter().map(|member| AtomicU64::new(member.clock.symbols(cycle))).collect(),
            horizons: (0..ports).map(|_| AtomicU64::new(0)).collect(),
            claims: Mutex::new(Claims { claimed: vec![false; rings.len()], at: 0, behind: 0 }),
            waiting: Waiting::default(),
        };
        schedule.renew(links);
        schedule
    }

    /// A stretch begins.
    pub(super) fn begin(&mut self, stretch: Stretch) {
        let claims = self.claims.get_mut().expect("a thread that panics ends the simulation");
        (claims.at, claims.behind) = (0, stretch.start.saturating_add(stretch.window));
    }

    /// Cycle to which a ring may go, by its clock.
    fn horizon(&self, ring: usize, end: u64) -> u64 {
        let Range { start, end: stop } = self.ports[ring];
        let horizons = &self.horizons[start as usize..stop as usize];
        horizons.iter().fold(end, |least, horizon| least.min(horizon.load(Ordering::Acquire)))
    }

    /// One of `threads` threads brings rings to the end of the stretch, until all are there.
    pub(super) fn work(
        &self,
        stretch: Stretch,
        threads: u32,
        mut rings: impl Access<Member>,
        mut links: impl Access<BLink>,
    ) {
        // At most a thread's part of all, so that in a small network every thread finds rings.
        let share = self.interfaces.iter().sum::<u32>().div_ceil(threads).min(INTERFACES_TOGETHER);
        let _abandons = self.waiting.abandons();
        let (mut mine, mut fruitless) = (Vec::new(), 0);
        loop {
            let seen = self.waiting.seen();
            match self.claim(mine, stretch, share) {
                Claim::Rings(claimed) => mine = claimed,
                Claim::Wait => {
                    if !self.waiting.wait_behind(seen) {
                        return;
                    }
                    mine = Vec::new();
                    continue;
                }
                Claim::Done => return self.waiting.tell(),
            }
            let (mut went_on, mut stood) = (true, true);
            fruitless += 1;
            while went_on {
                went_on = false;
                for &ring in &mine {
                    let index = ring as usize;
                    // Relaxed: only the thread that has claimed a ring moves it, and
                    // claims change hands under their lock.
                    let cycle = self.cycles[index].load(Ordering::Relaxed);
                    let stretch = stretch.of_ring(self.clocks[index]);
                    let horizon = self.horizon(index, stretch.end);
                    if stretch.lets(cycle, horizon) {
                        self.advance(index, cycle, horizon, &mut rings, &mut links);
                        self.cycles[index].store(horizon, Ordering::Relaxed);
                        went_on = true;
                    }
                }
                if went_on {
                    fruitless = 0;
                }
                if went_on && threads > 1 {
                    stood = false;
                    self.waiting.tell();
                }
            }
            if fruitless > self.cycles.len() {
                self.check_that_one_may_go_on(stretch, mine.len());
                fruitless = 0;
            }
            if stood && threads > 1 {
                // Its rings wait for others: any thread may take them meanwhile.
                self.give_back(&mut mine);
                if !self.waiting.wait_behind(seen) {
                    return;
                }
                if self.waiting.seen() == seen {
                    self.turn_to_who_may_go_on(stretch);
                }
            }
        }
    }

    fn give_back(&self, mine: &mut Vec<u32>) {
        let mut claims = self.claims.lock().expect("a thread that panics ends the simulation");
        mine.drain(..).for_each(|ring| claims.claimed[ring as usize] = false);
    }

    /// Lets the search for rings begin with the one that is furthest behind of those that may go on, if there is one.
    ///
    /// The search goes up. A ring that another thread had when the search passed it, and gave back, stands before where
    /// it goes on, and only a search that finds nothing more begins again: threads that take turns, as on one core,
    /// would take the same rings for ever, which wait for that one.
    fn turn_to_who_may_go_on(&self, stretch: Stretch) {
        let mut claims = self.claims.lock().expect("a thread that panics ends the simulation");
        if let Some((cycle, ring)) = self.who_may_go_on(stretch).min() {
            claims.at = ring;
            claims.behind = claims.behind.max(cycle + 1);
        }
    }

    /// The rings that may go on, with where they are by the clock of the network: rings have their own.
    fn who_may_go_on(&self, stretch: Stretch) -> impl Iterator<Item = (u64, usize)> + '_ {
        (0..self.cycles.len()).filter_map(move |ring| {
            let (clock, cycle) = (self.clocks[ring], self.cycles[ring].load(Ordering::Relaxed));
            let own = stretch.of_ring(clock);
            own.lets(cycle, self.horizon(ring, own.end)).then(|| (clock.cycles(cycle), ring))
        })
    }

    /// Panics in a simulation in which no ring may ever go on, as one from a damaged file may be. `mine`: rings that
    /// this thread has; while another one has some, they may let the others go on.
    fn check_that_one_may_go_on(&self, stretch: Stretch, mine: usize) {
        let claims = self.claims.lock().expect("a thread that panics ends the simulation");
        let claimed = claims.claimed.iter().filter(|&&claimed| claimed).count();
        let stands = claimed == mine && self.who_may_go_on(stretch).next().is_none();
        drop(claims);
        assert!(!stands, "some ring of a network may go on");
    }

    /// Gives rings back, and takes the one that is furthest behind and those around it, up to so many interfaces, and
    /// as many rings as the cache holds.
    fn claim(&self, done: Vec<u32>, stretch: Stretch, share: u32) -> Claim {
        let Stretch { end, window, .. } = stretch;
        let mut claims = self.claims.lock().expect("a thread that panics ends the simulation");
        let Claims { claimed, at, behind } = &mut *claims;
        done.iter().for_each(|&ring| claimed[ring as usize] = false);
        // The value of another thread's ring may be old. Rings only go on, so that nothing is taken for done too early.
        let cycle = |ring: usize| self.clocks[ring].cycles(self.cycles[ring].load(Ordering::Relaxed));
        loop {
            let count = claimed.len();
            let Some(first) = (*at..count).find(|&ring| !claimed[ring] && cycle(ring) < (*behind).min(end)) else {
                if *behind >= end {
                    break;
                }
                // Of those that were claimed the later rounds find what has stayed behind.
                (*at, *behind) = (0, behind.saturating_add(window));
                continue;
            };
            *at = first;
            let mut found = done;
            found.clear();
            let mut next = VecDeque::from([first as u32]);
            claimed[first] = true;
            let mut interfaces = 0;
            while let Some(ring) = next.pop_front() {
                interfaces += self.interfaces[ring as usize];
                // The first one in any case, however large it is: somebody has to advance it.
                if (interfaces > share || found.len() == RINGS_TOGETHER) && !found.is_empty() {
                    claimed[ring as usize] = false;
                    break;
                }
                found.push(ring);
                for &other in &self.neighbours[ring as usize] {
                    let index = other as usize;
                    if !claimed[index] && cycle(index) < end {
                        // While it stands in the queue, too, so that it stands there once.
                        claimed[index] = true;
                        next.push_back(other);
                    }
                }
            }
            // Claimed for their place in the queue, and not taken.
            next.iter().for_each(|&ring| claimed[ring as usize] = false);
            return Claim::Rings(found);
        }
        if (0..claimed.len()).all(|ring| cycle(ring) >= end) {
            return Claim::Done;
        }
        *at = 0;
        Claim::Wait
    }

    /// Brings all rings, in which nothing is under way, from the cycle of the network at which all are to another one.
    pub(super) fn leap(&self, cycle: u64, end: u64, mut rings: impl Access<Member>, mut links: impl Access<BLink>) {
        for index in 0..self.cycles.len() {
            let (cycle, end) = (self.clocks[index].symbols(cycle), self.clocks[index].symbols(end));
            self.advance(index, cycle, end, &mut rings, &mut links);
            self.cycles[index].store(end, Ordering::Relaxed);
        }
    }

    /// A ring takes over from its switches, goes to its cycle `end`, and hands over to them; what then has all of its
    /// rings decides.
    fn advance(
        &self,
        index: usize,
        cycle: u64,
        end: u64,
        rings: &mut impl Access<Member>,
        links: &mut impl Access<BLink>,
    ) {
        rings.with(index, |Member { ring, ports, .. }| {
            for &PortPlace { link, port, .. } in ports.iter() {
                links.with(link as usize, |link| link.hand_over(port, &mut **ring, cycle));
            }
            ring.go_to(end);
            for &PortPlace { link, port, .. } in ports.iter() {
                links.with(link as usize, |link| {
                    link.take_over(port, &mut **ring, end);
                    link.horizons(|port, horizon| self.horizons[port as usize].store(horizon, Ordering::Release));
                });
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRETCH: Stretch = Stretch { start: 0, end: 1_000, window: 100 };

    /// Rings without neighbours, each of which one port lets go so far.
    fn schedule(horizons: &[u64]) -> Schedule {
        let count = horizons.len();
        let mut schedule = Schedule {
            neighbours: vec![Box::default(); count],
            interfaces: vec![1; count],
            ports: (0..count as u32).map(|ring| ring..ring + 1).collect(),
            clocks: vec![Clock::new(1); count],
            cycles: (0..count).map(|_| AtomicU64::new(0)).collect(),
            horizons: horizons.iter().map(|&horizon| AtomicU64::new(horizon)).collect(),
            claims: Mutex::new(Claims { claimed: vec![false; count], at: 0, behind: 0 }),
            waiting: Waiting::default(),
        };
        schedule.begin(STRETCH);
        schedule
    }

    fn claimed(schedule: &Schedule) -> Vec<u32> {
        match schedule.claim(Vec::new(), STRETCH, 1) {
            Claim::Rings(rings) => rings,
            Claim::Wait | Claim::Done => Vec::new(),
        }
    }

    /// One thread has the only ring that may go on while another one looks behind it. Once it is given back, threads
    /// that take turns would take the rings behind it for ever, which wait for it.
    #[test]
    fn a_ring_that_was_given_back_is_found_again_where_all_others_stand() {
        let schedule = schedule(&[100, 0, 0]);
        let mut first = claimed(&schedule);
        let mut second = claimed(&schedule);
        assert_eq!((first.as_slice(), second.as_slice()), (&[0][..], &[1][..]));
        schedule.give_back(&mut first);
        schedule.give_back(&mut second);
        schedule.turn_to_who_may_go_on(STRETCH);
        assert_eq!(claimed(&schedule), [0]);
    }

    /// A damaged file may say so; while another thread has a ring, that may let the others go on.
    #[test]
    #[should_panic(expected = "some ring of a network may go on")]
    fn a_network_in_which_all_rings_stand_for_ever_ends() {
        let schedule = schedule(&[0, 0]);
        let mine = claimed(&schedule);
        let other = claimed(&schedule);
        schedule.check_that_one_may_go_on(STRETCH, mine.len());
        schedule.give_back(&mut { other });
        schedule.check_that_one_may_go_on(STRETCH, mine.len());
    }

    /// A search goes on as it was where no ring may go on.
    #[test]
    fn nothing_turns_where_all_stand() {
        let schedule = schedule(&[0, 0]);
        let mut first = claimed(&schedule);
        schedule.give_back(&mut first);
        schedule.turn_to_who_may_go_on(STRETCH);
        assert_eq!(claimed(&schedule), [0]);
    }
}
