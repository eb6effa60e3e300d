//! A call on a simulation that goes on from a file. What contradicts itself in a damaged file, and is not found when
//! it is loaded, is a panic of the engine later. Who made the call tells of it as an error of the file; a panic's own
//! lines on stderr would only be in the way.

use std::env;
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The words in place of such a panic.
pub const DAMAGED: &str = "the saved simulation is damaged: the engine failed on it";

/// Calls that go on. They are counted for the process, since rings are advanced by threads of a pool.
static CALLS: AtomicUsize = AtomicUsize::new(0);

/// A guard: while one lives, no panic is written to stderr, but where `RUST_BACKTRACE` asks for traces.
#[derive(Debug)]
pub struct Quiet(());

impl Quiet {
    /// Begins a call, if it is on a simulation that was loaded.
    #[must_use]
    pub fn of(is_loaded: bool) -> Option<Self> {
        is_loaded.then(Self::begin)
    }

    fn begin() -> Self {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let usual = panic::take_hook();
            panic::set_hook(Box::new(move |panic| {
                if CALLS.load(Ordering::Relaxed) == 0 || is_traced() {
                    usual(panic);
                }
            }));
        });
        CALLS.fetch_add(1, Ordering::Relaxed);
        Self(())
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        CALLS.fetch_sub(1, Ordering::Relaxed);
    }
}

fn is_traced() -> bool {
    env::var_os("RUST_BACKTRACE").is_some_and(|asked| asked != "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_behind_a_file_is_told_by_who_called_and_written_only_where_traces_are_asked_for() {
        static WRITTEN: AtomicUsize = AtomicUsize::new(0);
        panic::set_hook(Box::new(|_| _ = WRITTEN.fetch_add(1, Ordering::Relaxed)));
        let fail = |is_loaded| {
            let _quiet = Quiet::of(is_loaded);
            let failed = panic::catch_unwind(|| panic!("a packet holds a slot"));
            assert!(failed.is_err());
        };
        fail(true);
        assert_eq!(WRITTEN.load(Ordering::Relaxed), usize::from(is_traced()));
        fail(false);
        assert_eq!(WRITTEN.load(Ordering::Relaxed), usize::from(is_traced()) + 1);
    }
}
