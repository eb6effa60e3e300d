//! The reserve of SCI's low class: the types of idles, and a node's debt ("A reserve for the low class" in
//! docs/explanation/model.md).

use ringlet_engine::spec::NetworkSpec;

/// Types of idles at a node: which the next ones have, and what is owed.
#[derive(Debug)]
pub(crate) struct Reserve {
    /// Symbols of a thousand for each of which there is a low-type idle; 0: no idle is of the low type.
    permille: u32,
    /// Node 0.
    allocates: bool,
    /// High-type idles to be given back; if negative, low-type ones.
    owed: i64,
    /// Most low-type idles that node 0 owes when it emits an idle.
    most_due: i64,
    /// Symbols emitted since the last low-type idle was due, in thousandths of it.
    due: u32,
    /// The last idle emitted announced a priority above 0.
    announced: bool,
    /// The last packet sent was of the high class.
    sent_high: bool,
}

impl Reserve {
    pub(crate) fn new(permille: u16, index: u32, spec: &NetworkSpec) -> Self {
        let requests = spec.flows.iter().flat_map(|flow| &flow.sizes).map(|size| size.0);
        let responses = spec.flows.iter().filter_map(|flow| flow.response_symbols);
        let longest = requests.chain(responses).max().unwrap_or(0);
        // SCI's longest packet with any framing has 288 bytes and 64 symbols.
        let is_of_sci = longest <= 288 * 8 / spec.format.link_width + 64;
        let most_due = if is_of_sci { 145 } else { i64::from(longest) + 1 };
        let (permille, allocates) = (permille.into(), index == 0);
        Self { permille, allocates, owed: 0, most_due, due: 0, announced: false, sent_high: true }
    }

    /// A packet of this class may be sent.
    pub(crate) fn permits(&self, high: bool) -> bool {
        self.permille == 0 || self.owed == 0 || (high && self.owed > 0)
    }

    /// A packet of this class follows.
    pub(crate) fn sends(&mut self, high: bool) {
        self.sent_high = high;
    }

    /// An idle comes in and does not pass.
    pub(crate) fn absorb(&mut self, low: bool) {
        match (self.sent_high, low) {
            (true, true) if !self.allocates => self.owed -= 1,
            (false, false) => self.owed += 1,
            _ => {}
        }
    }

    /// A packet's first symbol is emitted.
    pub(crate) fn emit_packet(&mut self, symbols: u32) {
        if self.allocates && self.announced {
            for _ in 0..symbols {
                self.due += self.permille;
                if self.due >= 1000 {
                    self.due -= 1000;
                    self.owed -= 1;
                }
            }
        }
    }

    fn emit_idle(&mut self, announced: u8) {
        self.announced = announced > 0;
        self.emit_packet(1);
        if self.allocates && self.owed < -self.most_due {
            self.owed = -self.most_due;
        }
    }

    /// The type with which an idle passes.
    pub(crate) fn pass(&mut self, low: bool, announced: u8) -> bool {
        self.emit_idle(announced);
        self.give_back(low && !self.allocates)
    }

    /// The type of the idle in place of a separator.
    pub(crate) fn separator(&mut self, announced: u8) -> bool {
        self.emit_idle(announced);
        self.give_back(!self.sent_high)
    }

    /// The type of the idle behind an own packet.
    pub(crate) fn behind_own(&mut self, announced: u8) -> bool {
        self.emit_idle(announced);
        false
    }

    fn give_back(&mut self, low: bool) -> bool {
        if low && self.owed > 0 {
            self.owed -= 1;
            false
        } else if !low && self.owed < 0 {
            self.owed += 1;
            true
        } else {
            low
        }
    }
}
