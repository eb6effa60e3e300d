//! Messages whose sizes, receivers and times are drawn one by one.

use serde::{Deserialize, Serialize};

use super::clock::Clock;
use super::{MAX_CYCLES, SpecError, check, is_distribution};

/// Most packets of a message.
pub const MAX_MESSAGE_PACKETS: u64 = 1 << 24;

/// The messages of a flow, one with each arrival, each with a size of its own and one destination. Those of a saturated
/// flow are packets: one is released when its packet, which has a destination from then on, is drawn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessagesSpec {
    /// Most cycles by which a message is released after it is due, drawn for each. Its latency counts from when it is
    /// due.
    #[serde(default)]
    pub jitter_cycles: u64,
    /// Cycle from which the times of the arrivals count.
    #[serde(default)]
    pub start_cycle: u64,
    /// Cycle from which on no message is due any more; `None`: they go on.
    #[serde(default)]
    pub stop_cycle: Option<u64>,
    /// Messages after which there are no more; `None`: they go on.
    #[serde(default)]
    pub total: Option<u64>,
    /// Cycles of [`ArrivalSpec::Listed`](super::ArrivalSpec::Listed), ascending; else none.
    #[serde(default)]
    pub times: Vec<u64>,
    /// Bytes of a message.
    pub size: SizeSpec,
    /// Bytes of a message that a packet carries; the last one is filled up.
    pub packet_bytes: u32,
    /// Are messages counted for each of their destinations, too?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_destination: bool,
}

/// The bytes of a message, drawn for each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum SizeSpec {
    /// One of several sizes, each with its probability.
    Weighted {
        /// Bytes with their probabilities, which sum to 1.
        sizes: Vec<(u64, f64)>,
    },
    /// A whole number between these, each alike.
    Uniform {
        /// The least.
        least: u64,
        /// The largest.
        most: u64,
    },
    /// Log-normal; what is below the least or above the largest counts as that.
    LogNormal {
        /// Mean of the logarithm of the bytes.
        mean_log: f64,
        /// Standard deviation of that logarithm.
        deviation_log: f64,
        /// The least.
        least: u64,
        /// The largest.
        most: u64,
    },
}

impl SizeSpec {
    /// The least and the largest size.
    pub(super) fn range(&self) -> (u64, u64) {
        match self {
            Self::Weighted { sizes } => {
                let all = || sizes.iter().map(|size| size.0);
                (all().min().unwrap_or(0), all().max().unwrap_or(0))
            }
            &Self::Uniform { least, most } | &Self::LogNormal { least, most, .. } => (least, most),
        }
    }
}

impl MessagesSpec {
    /// Returns these messages with their times in symbols of a ring with this clock.
    pub(super) fn in_symbols(&self, clock: Clock) -> Self {
        Self {
            jitter_cycles: clock.symbols(self.jitter_cycles),
            start_cycle: clock.symbols(self.start_cycle),
            stop_cycle: self.stop_cycle.map(|cycle| clock.symbols(cycle)),
            times: self.times.iter().map(|&cycle| clock.symbols(cycle)).collect(),
            ..self.clone()
        }
    }

    /// Checks the messages of a saturated flow, which have no times of their own.
    pub(super) fn validate_saturated(&self, at: &str) -> Result<(), SpecError> {
        let at = format!("{at}.messages");
        let (packet, most) = (u64::from(self.packet_bytes), self.size.range().1);
        check(
            most <= packet,
            format!("{at}.size"),
            most,
            format!("at most {packet}, a packet, where one always waits"),
        )?;
        for (field, cycle) in [
            ("jitter_cycles", self.jitter_cycles),
            ("start_cycle", self.start_cycle),
            ("stop_cycle", self.stop_cycle.unwrap_or(0)),
            ("total", self.total.unwrap_or(0)),
        ] {
            check(cycle == 0, format!("{at}.{field}"), cycle, "none where a packet always waits")?;
        }
        Ok(())
    }

    /// Checks the messages of a flow whose arrivals are `listed`, or are not.
    pub(super) fn validate(&self, listed: bool, at: &str) -> Result<(), SpecError> {
        let at = format!("{at}.messages");
        for (field, cycles) in [("jitter_cycles", self.jitter_cycles), ("start_cycle", self.start_cycle)]
            .into_iter()
            .chain(self.stop_cycle.map(|cycle| ("stop_cycle", cycle)))
        {
            check(cycles <= MAX_CYCLES, format!("{at}.{field}"), cycles, format!("at most {MAX_CYCLES}"))?;
        }
        check(listed != self.times.is_empty(), format!("{at}.times"), self.times.len(), "times of listed arrivals")?;
        let ascending = self.times.is_sorted() && self.times.last().is_none_or(|&last| last < MAX_CYCLES);
        check(ascending, format!("{at}.times"), "a list of cycles", format!("ascending cycles below {MAX_CYCLES}"))?;
        check(self.packet_bytes > 0, format!("{at}.packet_bytes"), 0, "at least 1")?;
        let (least, most) = self.size.range();
        let longest = MAX_MESSAGE_PACKETS * u64::from(self.packet_bytes);
        let allowed = format!("1 to {longest} bytes, which are {MAX_MESSAGE_PACKETS} packets, the least first");
        check(
            1 <= least && least <= most && most <= longest,
            format!("{at}.size"),
            format!("{least} to {most}"),
            allowed,
        )?;
        match &self.size {
            SizeSpec::Weighted { sizes } => {
                let ok = is_distribution(sizes.iter().map(|size| size.1));
                check(ok, format!("{at}.size"), "a list of probabilities", "probabilities that sum to 1")
            }
            SizeSpec::Uniform { .. } => Ok(()),
            &SizeSpec::LogNormal { mean_log, deviation_log, .. } => {
                let ok = mean_log.is_finite() && deviation_log.is_finite() && deviation_log >= 0.0;
                check(ok, format!("{at}.size"), deviation_log, "numbers, and a deviation that is not below 0")
            }
        }
    }
}
