//! A/B ageing: an input queue grants every refused packet a place within two generations.

/// Progress of a packet in getting a reservation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    NoTry,
    DoTry,
    Retry(Letter),
}

/// Name of a generation of reservations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Letter {
    A,
    B,
}

impl Letter {
    fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }
}

/// The state of one input queue.
#[derive(Debug)]
pub(crate) struct Reservation {
    letter: Letter,
    /// Reservations of the generation being served.
    old: u32,
    /// Reservations of the next generation.
    new: u32,
}

impl Reservation {
    pub(crate) fn new() -> Self {
        Self { letter: Letter::A, old: 0, new: 0 }
    }

    /// A packet in this phase is accepted if there is a place.
    pub(crate) fn admits(&self, phase: Phase) -> bool {
        self.old == 0 || phase == Phase::Retry(self.letter)
    }

    /// A packet that it admits has been accepted.
    pub(crate) fn accepted(&mut self) {
        if self.old > 0 {
            self.old -= 1;
            if self.old == 0 {
                self.letter = self.letter.other();
                (self.old, self.new) = (self.new, 0);
            }
        }
    }

    /// A packet in this phase is refused; its phase from now on.
    pub(crate) fn refused(&mut self, phase: Phase) -> Phase {
        match phase {
            Phase::NoTry => Phase::DoTry,
            Phase::DoTry if self.old == 0 => {
                self.old = 1;
                Phase::Retry(self.letter)
            }
            Phase::DoTry => {
                self.new += 1;
                Phase::Retry(self.letter.other())
            }
            Phase::Retry(_) => phase,
        }
    }
}
