//! The time that a refused packet waits (docs/explanation/model.md, "Retransmission").

use super::{MAX_CYCLES, RetrySpec, RetryStrategy};

impl RetrySpec {
    /// Cycles to wait after the `refusals`-th refusal of a packet, from 1 (richter1997, Section 4.6); no more than
    /// [`MAX_CYCLES`], however often it is refused.
    pub fn delay_after(&self, refusals: u32) -> u64 {
        let start = self.delay_cycles;
        let delay = match self.strategy {
            RetryStrategy::Constant => start,
            RetryStrategy::Linear => start.saturating_mul(refusals.into()),
            RetryStrategy::Exponential => {
                start.saturating_mul(1u64.checked_shl(refusals.saturating_sub(1)).unwrap_or(u64::MAX))
            }
        };
        delay.min(MAX_CYCLES)
    }
}
