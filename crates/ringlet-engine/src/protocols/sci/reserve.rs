//! The bandwidth that stays reserved for the low class, and the debt counter that keeps it (docs/explanation/model.md,
//! "A reserve for the low class").

use super::super::prelude::*;
use crate::spec::MAX_SEND_SYMBOLS;

/// Most low-type idles that node 0 still has to allocate, where no packet is longer than SCI's longest and its idle.
const MOST_ALLOCATED: u32 = MAX_SEND_SYMBOLS + 1;

/// Symbols of which a reserve is a share in whole numbers.
const SHARES: u16 = 1000;

/// One node's account of the types of idles: those of the low type are for the low class alone, the others for the high
/// class.
#[derive(Debug, Clone, Encode, Serialize, Deserialize)]
pub(super) struct Reserve {
    /// Share of the symbols on each link that is reserved, in thousandths; 0: idles have no types.
    #[encode(skip)]
    permille: u16,
    /// Does it allocate low-type idles to the ring?
    #[encode(skip)]
    allocates: bool,
    /// Most low-type idles that it still has to allocate: a longest packet and its idle.
    #[encode(skip)]
    most_allocated: i32,
    /// High-type idles that the node has taken and not yet given back; negative: low-type idles.
    debt: i32,
    /// Thousandths of a low-type idle that is to be allocated next.
    allocated: u16,
    /// Did the last emitted idle announce a priority above the lowest?
    announced: bool,
    /// Was the last packet sent of the high class?
    sent_high: bool,
}

impl Reserve {
    /// `longest_symbols`: the ring's longest packet and its idle, if that is longer than SCI's.
    pub(super) fn new(permille: u16, allocates: bool, longest_symbols: Option<u32>) -> Self {
        let most_allocated = longest_symbols.unwrap_or(MOST_ALLOCATED) as i32;
        Self { permille, allocates, most_allocated, debt: 0, allocated: 0, announced: false, sent_high: true }
    }

    pub(super) fn is_on(&self) -> bool {
        self.permille > 0
    }

    /// The class of the packet that is sent: the node's account is that of this class until it sends another one.
    pub(super) fn sends(&mut self, high: bool) {
        self.sent_high = high;
    }

    /// May a packet of this class be sent? What the node owes to the other class comes before.
    pub(super) fn permits(&self, high: bool) -> bool {
        // High-type idles are its own. To repay them before it sends, it might wait for low-type ones
        // that are not allocated any more.
        if high { self.debt >= 0 } else { self.debt == 0 }
    }

    /// `count` idles are absorbed: those of the other class are a debt.
    pub(super) fn absorb(&mut self, low: bool, count: u32) {
        // Node 0 owes no low-type idle that it absorbs: it ends them, and allocates new ones instead.
        if low && self.sent_high && !self.allocates {
            self.debt -= count as i32;
        } else if !low && !self.sent_high {
            self.debt += count as i32;
        }
    }

    /// May several idles in a row, of this type, be emitted as different ones?
    pub(super) fn counts(&self, low: bool, announces: bool) -> bool {
        match (self.allocates, low) {
            (true, _) => announces || self.debt < 0,
            (false, true) => self.debt > 0,
            (false, false) => self.debt < 0,
        }
    }

    /// Symbols of a packet are emitted.
    pub(super) fn emits(&mut self, symbols: u32) {
        if self.allocates && self.announced {
            let allocated = u32::from(self.allocated) + symbols * u32::from(self.permille);
            self.debt -= (allocated / u32::from(SHARES)) as i32;
            self.allocated = (allocated % u32::from(SHARES)) as u16;
        }
    }

    /// An idle passes, or several that are emitted alike; returns whether it leaves with the low type.
    pub(super) fn pass(&mut self, low: bool, announces: bool) -> bool {
        self.begin_idle(announces);
        let low = low && !self.allocates;
        self.give_back(low)
    }

    /// The idle in place of a separator, which is one that the node has absorbed.
    pub(super) fn separator(&mut self, announces: bool) -> bool {
        self.begin_idle(announces);
        self.give_back(!self.sent_high)
    }

    /// The idle behind an own packet belongs to the packet, and gives nothing back.
    pub(super) fn behind_own(&mut self, announces: bool) -> bool {
        self.begin_idle(announces);
        false
    }

    fn begin_idle(&mut self, announces: bool) {
        self.announced = announces;
        self.emits(1);
        if self.allocates {
            self.debt = self.debt.max(-self.most_allocated);
        }
    }

    /// Gives an idle of this type the other one, if the node owes one of that.
    fn give_back(&mut self, low: bool) -> bool {
        let step = i32::from(low) - i32::from(!low);
        if self.debt * step <= 0 {
            return low;
        }
        self.debt -= step;
        !low
    }
}
