//! Busy retry with reservation: the A/B ageing of refused packets (docs/explanation/realtime-model.md, Section 2).
//!
//! A receiver serves one generation of refused packets at a time; what it refuses meanwhile belongs to the next. So
//! every refused packet is accepted within two generations.

use ringlet_engine_derive::Encode;

/// The two generations.
#[derive(Encode, Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub(crate) enum Generation {
    /// First of the two generations.
    A = 0,
    /// Second of the two generations.
    B = 1,
}

impl Generation {
    fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }
}

/// The refusals of a packet: how many, and with what answer.
#[derive(Encode, Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub(crate) enum Phase {
    /// Never refused: it needs no reservation.
    NoTry,
    /// Refused once: it needs a reservation.
    DoTry,
    /// Refused with a reservation, of this generation.
    Retry(Generation),
}

/// A receiver's reservations.
#[derive(Encode, Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub(crate) struct Reservations {
    pub(super) serving: Generation,
    /// Places reserved for the generation being served.
    #[encode(held = "a reserved place")]
    pub(super) old: u32,
    /// Places reserved for the next one.
    #[encode(held = "a reserved place")]
    pub(super) new: u32,
}

impl Default for Reservations {
    fn default() -> Self {
        Self { serving: Generation::A, old: 0, new: 0 }
    }
}

impl Reservations {
    /// A packet of this phase arrives and would find a place or not; returns `None` if it is accepted, else the phase
    /// that the busy echo gives it.
    pub(crate) fn arrive(&mut self, phase: Phase, has_place: bool) -> Option<Phase> {
        let serves_it = self.old == 0 || phase == Phase::Retry(self.serving);
        if serves_it && has_place {
            if self.old > 0 {
                self.served();
            }
            return None;
        }
        Some(match phase {
            Phase::NoTry => Phase::DoTry,
            Phase::DoTry => Phase::Retry(self.reserve()),
            Phase::Retry(_) => phase,
        })
    }

    fn served(&mut self) {
        self.old -= 1;
        if self.old == 0 {
            self.serving = self.serving.other();
            (self.old, self.new) = (self.new, 0);
        }
    }

    fn reserve(&mut self) -> Generation {
        if self.old == 0 {
            self.old = 1;
            self.serving
        } else {
            self.new += 1;
            self.serving.other()
        }
    }
}
