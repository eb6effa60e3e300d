//! Errors of links, and who waits for a retry delay.

use serde::{Deserialize, Serialize};

use super::{MAX_CYCLES, RingSpec, SpecError, TopologySpec, check};

/// Who waits before a refused packet is sent again.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RetryBy {
    /// Its sender.
    #[default]
    Requester,
    /// Who refuses it, and sends the busy echo so much later.
    Responder,
}

/// Errors on links.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorsSpec {
    /// Probability that a bit is wrong, 0 to below 1, of every link.
    pub bit_error_rate: f64,
    /// Links that are different.
    #[serde(default)]
    pub links: Vec<LinkSpec>,
    /// Cycles after a loss in which the sender notices that no echo comes.
    pub timeout_cycles: u64,
    /// Time-outs after which, at the next one, a packet is given up; `None`: 255.
    pub max_timeouts: Option<u8>,
}

/// The link that leaves an interface.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkSpec {
    /// Ring of the interface.
    pub ring: u32,
    /// Its place in the ring's list.
    pub place: u32,
    /// Probability that a bit is wrong; `None`: as on every link.
    pub bit_error_rate: Option<f64>,
    /// Cycle from which on nothing but idles comes through; `None`: never.
    pub fails_at_cycle: Option<u64>,
}

impl ErrorsSpec {
    pub(super) fn validate(&self, topology: &TopologySpec, hop_delay: u32) -> Result<(), SpecError> {
        let rate_ok = |rate: f64, at: String| check((0.0..1.0).contains(&rate), at, rate, "0 to below 1");
        rate_ok(self.bit_error_rate, "network.errors.bit_error_rate".into())?;
        for (index, link) in self.links.iter().enumerate() {
            let at = format!("network.errors.links[{index}]");
            let ring = topology.rings.get(link.ring as usize);
            check(ring.is_some(), format!("{at}.ring"), link.ring, format!("below {}", topology.rings.len()))?;
            let places = ring.map_or(0, |ring| ring.interfaces.len());
            let ok = (link.place as usize) < places;
            check(ok, format!("{at}.place"), link.place, format!("a place below {places}"))?;
            link.bit_error_rate.map_or(Ok(()), |rate| rate_ok(rate, format!("{at}.bit_error_rate")))?;
        }
        // A node may be ahead of another by what the links between them hold.
        let ahead = |ring: &RingSpec| {
            let hop = u64::from(ring.hop_delay.unwrap_or(hop_delay))
                + 2 * u64::from(super::MAX_SEND_SYMBOLS + super::MAX_FRAMING_SYMBOLS);
            topology.controllers(ring).sum::<usize>() as u64 * hop
        };
        let least = topology.rings.iter().map(ahead).max().unwrap_or(0);
        let timeout = self.timeout_cycles;
        let ok = (least..=MAX_CYCLES).contains(&timeout);
        check(
            ok,
            "network.errors.timeout_cycles",
            timeout,
            format!("at least {least} cycles, longer than any way round a ring"),
        )
    }
}
