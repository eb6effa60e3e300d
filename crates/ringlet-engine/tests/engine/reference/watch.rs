//! The TicketMaster of a ring that sends by SCI's rule watches how busy its output is.

/// Cycles between two looks, at least.
const PERIOD_CYCLES: u64 = 1024;

#[derive(Debug)]
pub(crate) struct Watch {
    /// Cycle of the last look.
    since: u64,
    /// Symbols of the packets that have begun since, with their idles.
    filled: u64,
    is_over: bool,
}

impl Watch {
    pub(crate) fn new(cycle: u64) -> Self {
        Self { since: cycle, filled: 0, is_over: false }
    }

    /// A packet that with its idle has so many symbols begins to be emitted.
    pub(crate) fn starts(&mut self, cycle: u64, symbols: u32, shift_up: f64) {
        let cycles = cycle - self.since;
        if cycles >= PERIOD_CYCLES {
            self.is_over |= self.filled as f64 >= shift_up * cycles as f64;
            (self.since, self.filled) = (cycle, 0);
        }
        self.filled += u64::from(symbols);
    }

    /// The ring is so busy that trains are due.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }
}
