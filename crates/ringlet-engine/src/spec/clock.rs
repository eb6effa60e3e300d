//! Times of rings and of their network, where rings have different link rates.

/// The clock of a ring of a network. The ring itself counts the times of its symbols, of which each takes some cycles
/// of the network, in which everything beyond the ring counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Clock {
    symbol_cycles: u64,
}

impl Clock {
    /// A symbol takes so many cycles of the network.
    pub(crate) fn new(symbol_cycles: u32) -> Self {
        Self { symbol_cycles: symbol_cycles.into() }
    }

    /// Cycles of the network in so many symbols.
    #[inline]
    pub(crate) fn cycles(self, symbols: u64) -> u64 {
        symbols.saturating_mul(self.symbol_cycles)
    }

    /// Symbols in so many cycles of the network: what happens within a symbol happens for the ring with the next one.
    #[inline]
    pub(crate) fn symbols(self, cycles: u64) -> u64 {
        if self.symbol_cycles == 1 { cycles } else { cycles.div_ceil(self.symbol_cycles) }
    }

    /// Symbols in a time that is no whole number of cycles of the network.
    pub(crate) fn exact_symbols(self, cycles: f64) -> f64 {
        cycles / self.symbol_cycles as f64
    }

    /// The rate per symbol, of one per cycle.
    pub(crate) fn per_symbol(self, per_cycle: f64) -> f64 {
        per_cycle * self.symbol_cycles as f64
    }
}
