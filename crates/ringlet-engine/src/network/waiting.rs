//! Threads that wait for each other: they look again for a short time, then sleep.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Times that a thread looks whether anything has changed before it sleeps: some microseconds.
const LOOKS: u32 = 200;

/// Time after which a thread that sleeps looks again in any case.
const LONGEST_SLEEP: Duration = Duration::from_millis(1);

/// Changes for which threads wait.
#[derive(Default)]
pub(super) struct Waiting {
    changes: AtomicU64,
    sleeping: Mutex<u32>,
    /// Does any thread sleep? Known without the lock.
    sleeps: AtomicBool,
    changed: Condvar,
    /// A thread has panicked: the others must not wait for its rings.
    abandoned: AtomicBool,
}

/// Tells the others if its thread panics.
pub(super) struct Abandons<'a>(&'a Waiting);

impl Drop for Abandons<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.abandoned.store(true, Ordering::Relaxed);
            self.0.tell();
        }
    }
}

impl Waiting {
    /// Returns a guard: while it lives, a panic of this thread ends the waiting of the others.
    pub(super) fn abandons(&self) -> Abandons<'_> {
        Abandons(self)
    }

    /// The changes so far.
    pub(super) fn seen(&self) -> u64 {
        self.changes.load(Ordering::SeqCst)
    }

    /// Something has changed for which others may wait.
    pub(super) fn tell(&self) {
        // Sequentially consistent, as in `wait_behind`: each side writes one value and reads the
        // other's, and one must see it.
        self.changes.fetch_add(1, Ordering::SeqCst);
        if self.sleeps.load(Ordering::SeqCst) {
            // Who has found no change holds the lock until it sleeps: behind it,
            // the notification cannot come too early.
            drop(self.lock());
            self.changed.notify_all();
        }
    }

    /// Waits until more has changed than was seen, but not for long; returns false if there is nothing to wait for any
    /// more.
    pub(super) fn wait_behind(&self, seen: u64) -> bool {
        let has_changed = || self.seen() != seen || self.abandoned.load(Ordering::Relaxed);
        for _ in 0..LOOKS {
            if has_changed() {
                return !self.abandoned.load(Ordering::Relaxed);
            }
            std::hint::spin_loop();
        }
        let mut sleeping = self.lock();
        *sleeping += 1;
        self.sleeps.store(true, Ordering::SeqCst);
        if !has_changed() {
            let woken = self.changed.wait_timeout(sleeping, LONGEST_SLEEP);
            sleeping = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        *sleeping -= 1;
        if *sleeping == 0 {
            self.sleeps.store(false, Ordering::SeqCst);
        }
        !self.abandoned.load(Ordering::Relaxed)
    }

    /// A count is right whatever its holder did.
    fn lock(&self) -> MutexGuard<'_, u32> {
        self.sleeping.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
