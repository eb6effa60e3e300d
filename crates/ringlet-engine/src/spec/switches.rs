//! Switches, and what lies between hosts and their rings.

use serde::{Deserialize, Serialize};

use super::{SpecError, check};

/// Longest time in picoseconds that any delay of a switch or host may have: 1 ms.
pub const MAX_DELAY_PS: u64 = 1_000_000_000;

/// Most ports of a switch.
pub const MAX_PORTS: u16 = 256;

/// Most B-Links of a switch.
pub const MAX_LINKS: u16 = 16;

/// Most packets of one class that an interface's transmit or receive buffers hold.
pub const MAX_BUFFERS: u32 = 1024;

/// One switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SwitchSpec {
    /// Number of the switch's kind.
    pub kind: u32,
    /// Ports, 2 to [`MAX_PORTS`].
    pub ports: u16,
}

/// A kind of switch.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SwitchKindSpec {
    /// B-Links, 1 to [`MAX_LINKS`]; with several every port is a cascade of link controllers, one on each.
    pub links: u16,
    /// Picoseconds of one 8-byte cycle of a B-Link.
    pub cycle_ps: f64,
    /// Bytes that a B-Link carries with each packet besides.
    pub encapsulation_bytes: u32,
    /// Picoseconds for which a B-Link is held with each packet besides.
    pub setup_ps: u64,
    /// Picoseconds from the ring to the B-Link, from the cycle on in which a symbol would pass the interface.
    pub to_link_ps: u64,
    /// Picoseconds from the B-Link to the transmit buffer.
    pub from_link_ps: u64,
    /// Time from which a packet may go on within the switch.
    pub forwarding: Forwarding,
    /// The link controller to which a packet for a port is addressed.
    #[serde(default)]
    pub cascade: Cascade,
    /// Buffers for what a link controller has received.
    pub receive: BuffersSpec,
    /// Buffers for what a link controller is to send, each held until its packet is accepted.
    pub transmit: BuffersSpec,
}

/// Buffers for requests and for responses, in packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuffersSpec {
    /// Buffers for requests.
    pub requests: u32,
    /// Buffers for responses.
    pub responses: u32,
    /// Is there one pool of all these buffers for both classes?
    pub pooled: bool,
}

/// The time from which a packet may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Forwarding {
    /// The packet's first symbols are there.
    CutThrough,
    /// All of the packet is there.
    StoreAndForward,
}

/// The link controller of a port's cascade to which a packet is addressed that has not been refused there.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cascade {
    /// The first one, which lets it pass to the next while its buffer is full.
    #[default]
    FirstFree,
    /// Each one in its turn.
    RoundRobin,
}

/// The interface between a host and its ring.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostSpec {
    /// Requests that hold a transmit slot, from when it begins to be filled until its packet is accepted; `None`:
    /// unlimited, and filled at once.
    pub slots: Option<u32>,
    /// Picoseconds to fill a slot, one after the other.
    pub fill_serial_ps: u64,
    /// Picoseconds that it takes besides.
    pub fill_ps: u64,
    /// Picoseconds from the end of a received packet until its service may start.
    pub receive_delay_ps: u64,
    /// Picoseconds from the end of its service to its delivery.
    pub store_ps: u64,
    /// Time that filling the requests of a message takes besides; `None`: none.
    #[serde(default)]
    pub groups: Option<FillGroupsSpec>,
    /// The slots are split among bus masters; `None`: they are filled one after the other.
    #[serde(default)]
    pub split: Option<FillSplitSpec>,
}

/// Slots that are filled in groups: what a bridge needs that combines its write buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FillGroupsSpec {
    /// Packets of a group, at least 1; the last group of a message may have fewer.
    pub packets: u32,
    /// Picoseconds before the first packet of a group.
    pub set_up_ps: u64,
    /// Packets of a group that take no longer, at least 1.
    pub uncrowded: u32,
    /// Picoseconds more for each further one.
    pub crowded_ps: u64,
}

/// Slots that are split among as many bus masters: each fills one, and waits until its packet is accepted. The requests
/// that a flow generates are one master's at a time; of those that are handed in each is that of another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FillSplitSpec {
    /// Picoseconds that a master takes before it requests the host's bus.
    pub set_up_ps: u64,
}

/// The order of transmit slots that are ready and have the highest priority.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SlotChoice {
    /// The packet refused first, else the one ready first.
    #[default]
    RetriesFirst,
    /// The slot taken first.
    OldestFirst,
    /// A refused packet goes behind all others.
    Requeue,
    /// The packet ready first that has not been sent, else the one refused first.
    NewFirst,
    /// The slot with the lowest number.
    LowestSlot,
    /// The slot taken last.
    NewestFirst,
    /// No other packet of a class is sent while one of it is being refused; else the slot ready first.
    StopAndWait,
}

impl BuffersSpec {
    pub(super) fn validate(&self, at: &str) -> Result<(), SpecError> {
        for (name, packets) in [("requests", self.requests), ("responses", self.responses)] {
            let ok = (1..=MAX_BUFFERS).contains(&packets);
            check(ok, format!("{at}.{name}"), packets, format!("1 to {MAX_BUFFERS} packets"))?;
        }
        Ok(())
    }
}

pub(super) fn check_delay(path: String, ps: u64) -> Result<(), SpecError> {
    check(ps <= MAX_DELAY_PS, path, ps, format!("at most {MAX_DELAY_PS} ps"))
}

impl SwitchKindSpec {
    /// Switches from which tests and benches start: one B-Link of 600 MB/s, 8 bytes of encapsulation, 4 buffers for
    /// each class and direction.
    pub const EXAMPLE: Self = {
        let buffers = BuffersSpec { requests: 4, responses: 4, pooled: false };
        Self {
            links: 1,
            cycle_ps: 40_000.0 / 3.0,
            encapsulation_bytes: 8,
            setup_ps: 0,
            to_link_ps: 58_000,
            from_link_ps: 82_000,
            forwarding: Forwarding::StoreAndForward,
            cascade: Cascade::FirstFree,
            receive: buffers,
            transmit: buffers,
        }
    };

    pub(super) fn validate(&self, symbol_ps: u64, at: &str) -> Result<(), SpecError> {
        let links = self.links;
        check((1..=MAX_LINKS).contains(&links), format!("{at}.links"), links, format!("1 to {MAX_LINKS} B-Links"))?;
        let cycle = self.cycle_ps;
        let cycle_ok = cycle > 0.0 && cycle <= MAX_DELAY_PS as f64;
        check(cycle_ok, format!("{at}.cycle_ps"), cycle, format!("above 0, at most {MAX_DELAY_PS} ps"))?;
        let bytes = self.encapsulation_bytes;
        check(bytes <= 1024, format!("{at}.encapsulation_bytes"), bytes, "at most 1024 bytes")?;
        for (name, ps) in
            [("setup_ps", self.setup_ps), ("to_link_ps", self.to_link_ps), ("from_link_ps", self.from_link_ps)]
        {
            check_delay(format!("{at}.{name}"), ps)?;
        }
        let least = self.hold_ps(super::MIN_SEND_BYTES).min(self.setup_ps + self.from_link_ps + cycle as u64);
        check(
            least >= symbol_ps,
            format!("{at}.cycle_ps"),
            cycle,
            format!("long enough for a packet to take at least a symbol time of {symbol_ps} ps through the switch"),
        )?;
        self.receive.validate(&format!("{at}.receive"))?;
        self.transmit.validate(&format!("{at}.transmit"))
    }

    /// Picoseconds for which a packet of so many bytes holds a B-Link.
    pub fn hold_ps(&self, bytes: u32) -> u64 {
        let cycles = (bytes + self.encapsulation_bytes).div_ceil(8);
        self.setup_ps + (f64::from(cycles) * self.cycle_ps).round() as u64
    }
}

impl HostSpec {
    pub(super) fn validate(&self, at: &str) -> Result<(), SpecError> {
        let slots = self.slots;
        let slots_ok = slots.is_none_or(|slots| (1..=MAX_BUFFERS).contains(&slots));
        check(slots_ok, format!("{at}.slots"), slots.unwrap_or(0), format!("1 to {MAX_BUFFERS} packets"))?;
        for (name, ps) in [
            ("fill_serial_ps", self.fill_serial_ps),
            ("fill_ps", self.fill_ps),
            ("receive_delay_ps", self.receive_delay_ps),
            ("store_ps", self.store_ps),
        ] {
            check_delay(format!("{at}.{name}"), ps)?;
        }
        let idle = slots.is_some() || (self.fill_serial_ps, self.fill_ps) == (0, 0);
        check(idle, format!("{at}.fill_ps"), self.fill_ps.max(self.fill_serial_ps), "0 without slots to fill")?;
        if let Some(split) = self.split {
            split.validate(self, &format!("{at}.split"))?;
        }
        self.groups.map_or(Ok(()), |groups| groups.validate(slots, &format!("{at}.groups")))
    }
}

impl FillGroupsSpec {
    pub(super) fn validate(&self, slots: Option<u32>, at: &str) -> Result<(), SpecError> {
        check(slots.is_some(), at, "groups", "none without slots to fill")?;
        for (name, packets) in [("packets", self.packets), ("uncrowded", self.uncrowded)] {
            let ok = (1..=MAX_BUFFERS).contains(&packets);
            check(ok, format!("{at}.{name}"), packets, format!("1 to {MAX_BUFFERS} packets"))?;
        }
        check_delay(format!("{at}.set_up_ps"), self.set_up_ps)?;
        check_delay(format!("{at}.crowded_ps"), self.crowded_ps)
    }
}

impl FillSplitSpec {
    fn validate(&self, host: &HostSpec, at: &str) -> Result<(), SpecError> {
        check(host.slots.is_some(), at, "split", "none without slots to fill")?;
        check(host.groups.is_none(), at, "split", "none with groups: slots are split among masters or combined")?;
        check_delay(format!("{at}.set_up_ps"), self.set_up_ps)
    }
}
