//! Who goes next (docs/network-model.md, "Windows").
//!
//! A ring may go through its next window as soon as the B-Links at its ports have decided the last one, a B-Link decides a window as soon as all its rings have gone
//! through it, and nothing else holds them: every ring has a clock of its own. What is in the cache is therefore used for several windows before the next
//! rings are brought in: the ring that is furthest behind and the rings around it go as far as they can, then others. Which rings those are, and on which thread they
//! go, changes nothing but the time it takes.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use super::b_link::BLink;
use super::{Member, PortPlace};
use crate::protocols::FlowControl;

/// Interfaces that are advanced together: what each needs, some 1.5 kB, is to stay in the cache of a core meanwhile.
const INTERFACES_TOGETHER: u32 = 2048;

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

/// Windows that follow each other, until all rings wait for each other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) window: u64,
}

impl Stretch {
    fn windows(self) -> u32 {
        u32::try_from((self.end - self.start).div_ceil(self.window)).expect("a stretch is of few windows")
    }

    /// Cycle in which a window ends.
    fn end_of(self, window: u32) -> u64 {
        self.end.min(self.start.saturating_add((u64::from(window) + 1).saturating_mul(self.window)))
    }
}

/// What may go next.
pub(super) struct Schedule {
    /// The rings behind the switches of each ring.
    neighbours: Vec<Box<[u32]>>,
    /// Interfaces of each ring.
    interfaces: Vec<u32>,
    /// Windows of the stretch that each ring has gone through.
    passed: Vec<AtomicU32>,
    /// Ports of each ring whose B-Links have not decided the last of them.
    undecided: Vec<AtomicU32>,
    claims: Mutex<Claims>,
    /// A thread has panicked: the others must not wait for its rings.
    abandoned: AtomicBool,
}

/// Says so.
struct Abandons<'a>(&'a AtomicBool);

impl Drop for Abandons<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// Which rings are some thread's.
struct Claims {
    claimed: Vec<bool>,
    /// Where the search for the ring furthest behind goes on, and the windows that it has passed at most.
    at: usize,
    least: u32,
}

enum Claim {
    Rings(Vec<u32>),
    /// What is left belongs to other threads.
    Wait,
    Done,
}

impl Schedule {
    pub(super) fn new<P>(rings: &[Member<P>], links: &[BLink]) -> Self {
        let neighbours = |member: &Member<P>| {
            let ports = member.ports.iter();
            ports.flat_map(|port| links[port.link as usize].members.iter().map(|other| other.ring)).collect()
        };
        let zeros = || rings.iter().map(|_| AtomicU32::new(0)).collect();
        Self {
            neighbours: rings.iter().map(neighbours).collect(),
            interfaces: rings.iter().map(|member| member.ring.nodes.len() as u32).collect(),
            passed: zeros(),
            undecided: zeros(),
            claims: Mutex::new(Claims { claimed: vec![false; rings.len()], at: 0, least: 0 }),
            abandoned: AtomicBool::new(false),
        }
    }

    /// A stretch begins.
    pub(super) fn begin(&mut self) {
        self.passed.iter_mut().for_each(|passed| *passed.get_mut() = 0);
        let claims = self.claims.get_mut().expect("a thread that panics ends the simulation");
        (claims.at, claims.least) = (0, 0);
    }

    /// One of `threads` threads brings rings to the end of the stretch, until all are there.
    pub(super) fn work<P: FlowControl>(
        &self,
        stretch: Stretch,
        threads: u32,
        mut rings: impl Access<Member<P>>,
        mut links: impl Access<BLink>,
    ) {
        let windows = stretch.windows();
        let share = self.interfaces.iter().sum::<u32>().div_ceil(threads).min(INTERFACES_TOGETHER);
        let _abandons = Abandons(&self.abandoned);
        let mut mine = Vec::new();
        loop {
            match self.claim(mine, windows, share) {
                Claim::Rings(claimed) => mine = claimed,
                Claim::Wait if self.abandoned.load(Ordering::Relaxed) => return,
                Claim::Wait => {
                    mine = Vec::new();
                    std::thread::yield_now();
                    continue;
                }
                Claim::Done => return,
            }
            let mut went_on = true;
            while went_on {
                went_on = false;
                for &ring in &mine {
                    let index = ring as usize;
                    let window = self.passed[index].load(Ordering::Relaxed);
                    if window < windows && self.undecided[index].load(Ordering::Acquire) == 0 {
                        self.advance(index, stretch.end_of(window), &mut rings, &mut links);
                        self.passed[index].store(window + 1, Ordering::Relaxed);
                        went_on = true;
                    }
                }
            }
        }
    }

    /// Gives rings back, and takes the one that is furthest behind and those around it, up to so many interfaces.
    fn claim(&self, done: Vec<u32>, windows: u32, share: u32) -> Claim {
        let mut claims = self.claims.lock().expect("a thread that panics ends the simulation");
        let Claims { claimed, at, least } = &mut *claims;
        done.iter().for_each(|&ring| claimed[ring as usize] = false);
        let passed = |ring: usize| self.passed[ring].load(Ordering::Relaxed);
        while *least < windows {
            let count = claimed.len();
            let Some(first) = (*at..count).find(|&ring| !claimed[ring] && passed(ring) <= *least) else {
                // Of those that were somebody's the later rounds find what has stayed behind.
                (*at, *least) = (0, *least + 1);
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
                if interfaces > share && !found.is_empty() {
                    claimed[ring as usize] = false;
                    break;
                }
                found.push(ring);
                for &other in &self.neighbours[ring as usize] {
                    let index = other as usize;
                    if !claimed[index] && passed(index) < windows {
                        claimed[index] = true;
                        next.push_back(other);
                    }
                }
            }
            next.iter().for_each(|&ring| claimed[ring as usize] = false);
            return Claim::Rings(found);
        }
        if (0..claimed.len()).all(|ring| passed(ring) == windows) {
            return Claim::Done;
        }
        *least = windows - 1;
        Claim::Wait
    }

    /// A ring hears from its switches, goes to cycle `end`, and tells them; what has then heard from all its rings decides.
    fn advance<P: FlowControl>(
        &self,
        index: usize,
        end: u64,
        rings: &mut impl Access<Member<P>>,
        links: &mut impl Access<BLink>,
    ) {
        rings.with(index, |Member { ring, ports }| {
            for &PortPlace { place, link, port } in ports.iter() {
                let node = &mut ring.nodes[usize::from(place)];
                links.with(link as usize, |link| link.tell(port, node, &mut ring.flows));
            }
            ring.go_to(end);
            self.undecided[index].store(ports.len() as u32, Ordering::Relaxed);
            for &PortPlace { place, link, port } in ports.iter() {
                let node = &mut ring.nodes[usize::from(place)];
                links.with(link as usize, |link| {
                    if link.hear(port, node, end) {
                        for member in &link.members {
                            self.undecided[member.ring as usize].fetch_sub(1, Ordering::Release);
                        }
                    }
                });
            }
        });
    }
}
