//! Saved states of rings and networks: what has become of them since they were built from their spec, in a form that
//! depends on the engine's code and on nothing else.

use serde::{Deserialize, Serialize};

/// A saved state is not what was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the saved state is damaged: {0}")]
pub struct Damaged(pub(crate) String);

/// A state in bytes.
pub(crate) fn saved<T: Serialize + ?Sized>(state: &T) -> Vec<u8> {
    postcard::to_stdvec(state).expect("memory takes any state")
}

/// The state that the bytes are of.
pub(crate) fn read<'de, T: Deserialize<'de>>(saved: &'de [u8]) -> Result<T, Damaged> {
    let (state, rest) = postcard::take_from_bytes(saved).map_err(|error| Damaged(error.to_string()))?;
    if rest.is_empty() { Ok(state) } else { Err(Damaged(format!("{} bytes too many", rest.len()))) }
}

/// Refuses a state in which something does not hold.
pub(crate) fn check_state(holds: bool, what: impl FnOnce() -> String) -> Result<(), Damaged> {
    if holds { Ok(()) } else { Err(Damaged(what())) }
}

/// Refuses a state of another number of things than the spec has.
pub(crate) fn check_count(saved: usize, expected: usize, what: &str) -> Result<(), Damaged> {
    if saved == expected { Ok(()) } else { Err(Damaged(format!("{saved} {what} in place of {expected}"))) }
}
