//! The bypass FIFO of PPQ, TRAIN and DFC, packet by packet.

use std::collections::VecDeque;

use super::symbol::{PacketSymbol, Symbol};

/// A packet in the FIFO: on its way in, waiting, or on its way out.
#[derive(Debug)]
pub(crate) struct Entry {
    /// First symbol of the entry's packet, as it will be or has been emitted.
    pub(crate) first: PacketSymbol,
    /// Cycle in which its first symbol came in.
    pub(crate) arrived: u64,
    /// Symbols that are here, to be emitted.
    symbols: VecDeque<PacketSymbol>,
    /// Symbols still to come in.
    to_come: u32,
    /// A train: all symbols of the new one are here, `to_come` are those of the old one.
    is_train: bool,
    /// The idle behind it has come in.
    separator: bool,
    /// First cycle in which it may be emitted.
    pub(crate) not_before: u64,
}

impl Entry {
    /// Symbols and the separator that have come in. None of them has been emitted.
    pub(crate) fn received(&self) -> u32 {
        self.symbols.len() as u32 + u32::from(self.separator)
    }

    /// Returns whether the packet and its separator will have come in after so many cycles.
    pub(crate) fn is_complete_in(&self, cycles: u32) -> bool {
        self.still_to_come() <= i64::from(cycles)
    }

    /// Symbols still to be emitted, those to come and the separator included.
    fn to_be_emitted(&self) -> i64 {
        let still_to_come = if self.is_train { 0 } else { i64::from(self.to_come) };
        self.symbols.len() as i64 + still_to_come + 1
    }

    /// Symbols still to come in, the separator included.
    fn still_to_come(&self) -> i64 {
        i64::from(self.to_come) + i64::from(!self.separator)
    }
}

#[derive(Debug)]
pub(crate) struct Bypass {
    /// Symbols and separators with which the FIFO is full.
    nominal: usize,
    /// In the order of arrival. The one that is being emitted stays up to its separator.
    pub(crate) entries: Vec<Entry>,
    emitting: Option<usize>,
    /// A packet that has been replaced, and how many of its symbols are still to come in.
    cut: Option<(usize, u32)>,
}

impl Bypass {
    pub(crate) fn new(nominal: u32) -> Self {
        Self { nominal: nominal as usize, entries: Vec::new(), emitting: None, cut: None }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Symbols and separators that have come in and have not been emitted. A train counts as if all of the new one that
    /// will still be here when the old one has come in were here: a shorter one makes room for others.
    pub(crate) fn occupancy(&self) -> usize {
        let occupancy: i64 = self.entries.iter().map(|entry| entry.to_be_emitted() - entry.still_to_come()).sum();
        occupancy.max(0) as usize
    }

    /// A packet of this length may be sent: what comes in meanwhile will find room.
    pub(crate) fn has_space(&self, symbols: u32) -> bool {
        self.would_have_space(self.occupancy(), symbols)
    }

    /// Returns whether a FIFO of this occupancy would have space for so many symbols.
    pub(crate) fn would_have_space(&self, occupancy: usize, symbols: u32) -> bool {
        occupancy + (symbols as usize) < self.nominal
    }

    // --- In -------------------------------------------------------------------------------------------------------

    /// A packet's symbol comes in.
    pub(crate) fn push(&mut self, symbol: PacketSymbol, cycle: u64) {
        if symbol.is_first() {
            self.entries.push(Entry {
                first: symbol,
                arrived: cycle,
                symbols: VecDeque::new(),
                to_come: symbol.length,
                is_train: false,
                separator: false,
                not_before: 0,
            });
        }
        let entry = self.entries.last_mut().expect("a packet has a first symbol");
        entry.symbols.push_back(symbol);
        entry.to_come -= 1;
    }

    /// An idle comes in: a separator, if it is the one behind a packet that is still here.
    pub(crate) fn push_idle(&mut self) {
        if let Some(last) = self.entries.last_mut()
            && last.to_come == 0
        {
            last.separator = true;
        }
    }

    /// The first symbol of a train of length `incoming` comes in; `first` is that of what becomes of it.
    pub(crate) fn push_train(&mut self, first: PacketSymbol, incoming: u32, cycle: u64, not_before: u64) {
        self.entries.push(Entry {
            first,
            arrived: cycle,
            symbols: (0..first.length).map(|position| first.at(position)).collect(),
            to_come: incoming - 1,
            is_train: true,
            separator: false,
            not_before,
        });
    }

    /// Another symbol of a train comes in. The new one may have left already.
    pub(crate) fn push_further_of_train(&mut self) {
        if let Some(train) = self.entries.iter_mut().find(|entry| entry.is_train && entry.to_come > 0) {
            train.to_come -= 1;
        }
    }

    /// A train that has not come in is here when the ring starts.
    pub(crate) fn hold_train(&mut self, first: PacketSymbol) {
        let symbols = (0..first.length).map(|position| first.at(position)).collect();
        let entry = Entry { first, arrived: 0, symbols, to_come: 0, is_train: true, separator: true, not_before: 0 };
        self.entries.push(entry);
    }

    // --- Out ------------------------------------------------------------------------------------------------------

    /// The emission of this entry starts.
    pub(crate) fn start(&mut self, place: usize) {
        assert!(self.emitting.is_none(), "one packet at a time is emitted");
        self.emitting = Some(place);
    }

    /// The next symbol of the entry whose emission has started.
    pub(crate) fn emit(&mut self) -> PacketSymbol {
        let place = self.emitting.expect("a started emission");
        self.entries[place].symbols.pop_front().expect("a packet that does not run dry")
    }

    /// The separator of that entry.
    pub(crate) fn emit_separator(&mut self) {
        let entry = self.entries.remove(self.emitting.take().expect("a started emission"));
        assert!(entry.symbols.is_empty() && (entry.separator || entry.is_train), "{entry:?} is cut off");
    }

    /// All symbols that are here.
    pub(crate) fn symbols(&self) -> impl Iterator<Item = PacketSymbol> {
        self.entries.iter().flat_map(|entry| entry.symbols.iter().copied())
    }

    // --- PPQ ------------------------------------------------------------------------------------------------------

    /// Puts another packet in the place of an entry. What of it is still to come in is dropped.
    pub(crate) fn replace(&mut self, place: usize, first: PacketSymbol) {
        let entry = &mut self.entries[place];
        if entry.to_come > 0 {
            self.cut = Some((entry.first.packet, entry.to_come));
        }
        (entry.to_come, entry.separator) = (0, true);
        entry.symbols = (0..first.length).map(|position| first.at(position)).collect();
        entry.first = first;
    }

    /// Does this symbol, which comes in, belong to a packet that has been replaced?
    pub(crate) fn drops(&mut self, symbol: Symbol) -> bool {
        let Some((packet, to_come)) = self.cut else { return false };
        let Symbol::Packet(symbol) = symbol else { panic!("{symbol:?} inside packet {packet}") };
        assert!(symbol.is_send() && symbol.packet == packet, "{symbol:?} inside packet {packet}");
        self.cut = (to_come > 1).then_some((packet, to_come - 1));
        true
    }

    /// A packet that has been replaced by its echo, and is still coming in.
    pub(crate) fn cut(&self) -> Option<usize> {
        self.cut.map(|(packet, _)| packet)
    }

    /// A send packet, if it is here and its emission has not begun, inherits a priority.
    pub(crate) fn raise(&mut self, packet: usize, priority: u8) {
        for (place, entry) in self.entries.iter_mut().enumerate() {
            if entry.first.is_send() && entry.first.packet == packet && self.emitting != Some(place) {
                entry.first.priority = entry.first.priority.max(priority);
                for symbol in &mut entry.symbols {
                    symbol.priority = symbol.priority.max(priority);
                }
            }
        }
    }
}
