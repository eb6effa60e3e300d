//! The format of packets: symbols of links, and the lengths that follow from it.

use serde::{Deserialize, Serialize};

use super::{ECHO_BYTES, ECHO_SYMBOLS, LINK_WIDTH, MAX_FRAMING_SYMBOLS, MAX_SEND_BYTES, MIN_SEND_BYTES};
use super::{SpecError, check};

/// The format of packets on all rings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PacketFormatSpec {
    /// Bits of a symbol, which links carry at once: 8, 16, 32 or 64. A packet has the same bytes on links of any width,
    /// and an idle is one symbol.
    #[serde(default = "link_width")]
    pub link_width: u32,
    /// Length of an echo, 8 bytes ([`ECHO_SYMBOLS`]) or more: what framing adds to every packet, it adds to echoes,
    /// too.
    pub echo_symbols: u32,
    /// Symbols that every packet has beside its bytes. `None`: as many as an echo has beside 8 bytes.
    #[serde(default)]
    pub framing_symbols: Option<u32>,
    /// Do destinations send echoes? If not, a packet is accepted for its sender once it has been sent (picker1994,
    /// Section 1.2), which needs destinations that refuse none.
    #[serde(default = "sends_echoes")]
    pub echoes: bool,
}

impl Default for PacketFormatSpec {
    /// SCI's: symbols of 16 bits, echoes without framing.
    fn default() -> Self {
        Self { link_width: LINK_WIDTH, echo_symbols: ECHO_SYMBOLS, framing_symbols: None, echoes: true }
    }
}

fn link_width() -> u32 {
    LINK_WIDTH
}

fn sends_echoes() -> bool {
    true
}

impl PacketFormatSpec {
    /// Bytes of a symbol.
    pub fn symbol_bytes(&self) -> u32 {
        self.link_width / 8
    }

    /// Length of an echo without framing, in symbols.
    pub fn bare_echo_symbols(&self) -> u32 {
        ECHO_BYTES / self.symbol_bytes()
    }

    /// Symbols that every packet has beside its bytes.
    pub fn framing(&self) -> u32 {
        self.framing_symbols.unwrap_or_else(|| self.echo_symbols.saturating_sub(self.bare_echo_symbols()))
    }

    /// Length of the smallest send packet without framing, in symbols: a header with its CRC.
    pub fn min_send_symbols(&self) -> u32 {
        MIN_SEND_BYTES / self.symbol_bytes()
    }

    /// Length of the largest of SCI's send packets without framing, in symbols: header, extended header and 256 bytes
    /// of data.
    pub fn max_send_symbols(&self) -> u32 {
        MAX_SEND_BYTES / self.symbol_bytes()
    }

    /// Length of the largest of SCI's send packets with any framing, in symbols.
    pub(super) fn max_symbols(&self) -> u32 {
        self.max_send_symbols() + MAX_FRAMING_SYMBOLS
    }

    pub(super) fn validate(&self) -> Result<(), SpecError> {
        let width = self.link_width;
        check(matches!(width, 8 | 16 | 32 | 64), "format.link_width", width, "8, 16, 32 or 64 bits")?;
        let (echo, bare) = (self.echo_symbols, self.bare_echo_symbols());
        let most = bare + MAX_FRAMING_SYMBOLS;
        check((bare..=most).contains(&echo), "format.echo_symbols", echo, format!("{bare} to {most} symbols"))?;
        let (framing, most) = (self.framing(), echo - bare);
        check(framing <= most, "format.framing_symbols", framing, format!("at most {most}, which an echo has, too"))
    }
}
