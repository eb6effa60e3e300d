//! Preemptive Priority Queue: section 6 of docs/explanation/realtime-model.md.

use std::cmp::Reverse;
use std::collections::VecDeque;

use proptest::bool;
use proptest::prelude::*;
use proptest::sample::select;
use ringlet_engine::protocols::go_bits::{Extension, Release};
use ringlet_engine::protocols::ppq::{LateEcho, Overtakes, PpqSpec};
use ringlet_engine::spec::NetworkSpec;

use crate::random::{self, Frame};
use crate::reference::bypass::{Bypass, Entry};
use crate::reference::decider::Choice;
use crate::reference::go_level::{GO, GoLevel, STOP};
use crate::reference::host::{Host, Reception, Service};
use crate::reference::node::Transmitter;
use crate::reference::packet::{Class, Packet};
use crate::reference::protocol::{Behind, Here, Protocol};
use crate::reference::records::Records;
use crate::reference::symbol::{Idle, Kind, PacketSymbol};
use crate::reference::transmit_queue::Head;

#[derive(Debug)]
struct Ppq {
    options: PpqSpec,
    index: u32,
    /// True if the node has SCI's own flow control.
    is_base: bool,
    echo_symbols: u32,
    /// Late echoes: their first symbols, and the cycle from which on they may be inserted.
    late: VecDeque<(PacketSymbol, u64)>,
    /// An own packet has gone before the first of them.
    has_yielded: bool,
    /// Events to be inserted: their first symbols.
    events: VecDeque<PacketSymbol>,
    go: GoLevel,
    /// The node has sent since it last began to strip a send packet.
    has_sent: bool,
    /// True if a packet that is being stripped leaves go levels, if nothing waits here.
    extends_stripped: bool,
    /// Priority of the packet sent last, or of the packet that a late echo belongs to.
    sent_last: Option<u8>,
    /// Packets taken out of the input queues and the bypass FIFO.
    preempted: u64,
}

pub(crate) fn transmitter(spec: &NetworkSpec, options: PpqSpec, index: u32) -> Transmitter {
    let ppq = Ppq {
        options,
        index,
        is_base: spec.base_nodes.contains(&index),
        echo_symbols: spec.format.echo_symbols,
        late: VecDeque::new(),
        has_yielded: false,
        events: VecDeque::new(),
        go: GoLevel::new(),
        has_sent: false,
        extends_stripped: false,
        sent_last: None,
        preempted: 0,
    };
    Transmitter::deciding(index, ppq)
}

pub(crate) fn any(frame: Frame) -> Option<BoxedStrategy<PpqSpec>> {
    let late_echo = select(vec![LateEcho::ServiceEnd, LateEcho::ServiceStart, LateEcho::None]);
    let overtakes = select(vec![Overtakes::Lower, Overtakes::BusyEchoes]);
    let waits = (prop_oneof![Just(0u64), 1..200u64], random::optional(1..100u64));
    let idles = (random::extension(), random::release());
    let parts = (idles, random::bypass_symbols(frame), late_echo, overtakes, waits, bool::ANY, 1..=frame.symbols(16));
    let any = parts.prop_map(|(idles, bypass_symbols, late_echo, overtakes, waits, inheritance, event_symbols)| {
        let ((extension, release), (echo_wait_cycles, ageing_cycles)) = (idles, waits);
        PpqSpec {
            extension,
            release,
            bypass_symbols,
            late_echo,
            echo_wait_cycles,
            ageing_cycles,
            inheritance,
            overtakes,
            event_symbols,
        }
    });
    Some(any.boxed())
}

impl Protocol for Ppq {
    fn bypass_symbols(&self) -> u32 {
        self.options.bypass_symbols
    }

    fn most_bypassed(&self) -> usize {
        self.options.bypass_symbols as usize
    }

    /// A packet that is taken out of the bypass FIFO leaves an echo.
    fn conserves_symbols(&self) -> bool {
        false
    }

    fn counts(&self) -> Vec<(&'static str, u64)> {
        vec![("preempted_packets", self.preempted)]
    }

    fn refused_packets(&self) -> u64 {
        self.preempted
    }

    // --- Go levels ------------------------------------------------------------------------------------------------

    fn first_idle(&self, initial_go: Option<u16>) -> Idle {
        let is_stopped = initial_go.is_some_and(|go| go & 1 == 0);
        Idle { level: if is_stopped { STOP } else { GO }, ..Idle::EMPTY }
    }

    fn absorb(&mut self, idle: Idle) {
        self.go.absorb(idle.level);
    }

    fn strip_packet(&mut self) {
        self.extends_stripped = std::mem::take(&mut self.has_sent);
    }

    fn strip_echo(&mut self) {
        self.extends_stripped = true;
    }

    fn strip_lost(&mut self) {
        self.extends_stripped = false;
    }

    fn has_sent(&mut self) {
        self.has_sent = true;
    }

    fn idle(&mut self, _: bool, extended: bool, host: &Host) -> Idle {
        if extended {
            match self.options.extension {
                Extension::None => {}
                Extension::Received => {
                    if self.extends_stripped && host.queue.head.is_none() {
                        self.go.extend_received();
                    }
                }
                Extension::Passing | Extension::AfterSend | Extension::Always => self.go.extend(),
            }
        }
        Idle { level: self.go.emit_saved(), ..Idle::EMPTY }
    }

    /// Returns an idle as SCI's, but that it stops none above the priorities of this node.
    fn idle_behind(&mut self, behind: Behind, is_empty: bool, host: &Host) -> Idle {
        let extends = match self.options.extension {
            Extension::Always => true,
            Extension::Received | Extension::AfterSend => is_empty,
            Extension::Passing | Extension::None => false,
        };
        let is_own = matches!(behind, Behind::Own { .. });
        if extends && matches!(behind, Behind::Own { created: true }) {
            if self.options.extension == Extension::Received {
                self.go.extend_received();
            } else {
                self.go.extend();
            }
        }
        let all = is_empty || (is_own && self.options.release == Release::All);
        let stop = self.stop(host);
        let level = if all { self.go.emit_saved_within(stop) } else { self.go.emit_withholding(stop) };
        assert!(level <= STOP, "a go level of {level}");
        Idle { level, ..Idle::EMPTY }
    }

    // --- Late echoes ----------------------------------------------------------------------------------------------

    fn preempts(&self) -> bool {
        !self.is_base && self.options.late_echo != LateEcho::None
    }

    fn served(&mut self, service: Service, here: &Here) {
        if self.is_base {
            return;
        }
        match (service, self.options.late_echo) {
            (Service::Started(first), LateEcho::ServiceStart) | (Service::Ended(first), LateEcho::ServiceEnd) => {
                self.echo(first, true, here.cycle);
            }
            (Service::Started(_) | Service::Ended(_), _) => {}
        }
    }

    /// A packet may have had to give up its place in an input queue.
    fn received(&mut self, _: PacketSymbol, reception: Reception, here: &Here) {
        if let Some(first) = reception.preempted {
            self.echo(first, false, here.cycle);
            self.preempted += 1;
        }
    }

    fn take_late_echo(&mut self) -> Option<PacketSymbol> {
        self.has_yielded = false;
        self.late.pop_front().map(|(echo, _)| echo)
    }

    /// The packet inherits the priority if it is here and its echo has not been queued.
    fn raise(&mut self, event: PacketSymbol, bypass: &mut Bypass, host: &mut Host) {
        if self.is_base {
            return;
        }
        bypass.raise(event.packet, event.priority);
        let in_service = self.options.late_echo == LateEcho::ServiceEnd;
        for input in &mut host.inputs {
            input.raise(event.packet, event.priority, in_service);
        }
    }

    /// Late echoes, and packets that have come in completely by the end of this cycle and whose echoes are not queued.
    fn keeps(&self, cycle: u64, host: &Host) -> Vec<usize> {
        if !self.preempts() {
            return Vec::new();
        }
        let late = self.late.iter().map(|(first, _)| first.packet);
        let from_start = self.options.late_echo == LateEcho::ServiceStart;
        late.chain(host.inputs.iter().flat_map(|input| input.complete(cycle + 1, from_start))).collect()
    }

    // --- Decision -------------------------------------------------------------------------------------------------

    fn decide(&mut self, emitted: Idle, bypass: &mut Bypass, here: &mut Here) -> Choice {
        let Here { cycle, host, records, .. } = here;
        let cycle = *cycle;
        if self.is_base {
            return match host.queue.head {
                _ if !bypass.is_empty() => Choice::Bypassed(0),
                Some(head) if emitted.level == GO => Choice::Head(head),
                _ => Choice::Nothing,
            };
        }
        if self.options.inheritance {
            Class::BOTH.into_iter().for_each(|class| self.inherit(class, host, records));
        }
        let may_insert_late = self.events.is_empty() && self.late.front().is_some_and(|&(_, from)| from <= cycle);
        let permitted = host.queue.head.filter(|head| bypass.is_empty() && u16::from(head.priority) >= emitted.level);
        if let Some(head) = permitted
            && may_insert_late
            && !self.has_yielded
        {
            self.has_yielded = true;
            self.sent_last = Some(head.priority);
            return Choice::Head(head);
        }
        if let Some(first) = self.insert(cycle, bypass) {
            self.sent_last = Some(first.priority);
            return Choice::Inserted(first);
        }
        if let Some(head) = host.queue.head {
            let Packet { symbols, refusals, .. } = records.packets[head.packet];
            let goes = match bypass.is_empty() {
                true => u16::from(head.priority) >= emitted.level,
                false => {
                    self.goes_before(head.priority, refusals > 0, cycle, bypass)
                        && self.make_space(symbols, cycle, bypass)
                }
            };
            if goes {
                self.sent_last = Some(head.priority);
                return Choice::Head(head);
            }
        }
        match self.first_to_leave(cycle, bypass) {
            Some(place) => Choice::Bypassed(place),
            None => Choice::Nothing,
        }
    }

    /// Returns whether the head goes before what passes: as an option, if it fits and this is the first symbol of a
    /// busy echo.
    fn goes_before_passing(&mut self, first: PacketSymbol, head: Head, records: &Records) -> bool {
        let fits = self.options.bypass_symbols > records.packets[head.packet].symbols + 1;
        let goes = first.kind == Kind::Echo { accepted: false } && fits && self.passes_over(head.priority);
        if goes {
            self.sent_last = Some(head.priority);
        }
        goes
    }
}

impl Ppq {
    /// The level that stops this node's equals and, as it is told, others; above none that may go before it.
    fn stop(&self, host: &Host) -> u16 {
        if self.is_base {
            return STOP;
        }
        let reference = self.sent_last.max(host.queue.head.map(|head| head.priority)).unwrap_or(0);
        (u16::from(reference) + 1).max(self.go.last_received)
    }

    /// A late echo is due in this cycle.
    fn echo(&mut self, first: PacketSymbol, accepted: bool, cycle: u64) {
        let echo = first.echo(self.index, accepted, self.echo_symbols);
        self.late.push_back((echo, cycle + self.options.echo_wait_cycles));
    }

    /// Returns what is inserted behind an idle of this cycle, if there is space: an event, or a late echo that has
    /// waited.
    fn insert(&mut self, cycle: u64, bypass: &Bypass) -> Option<PacketSymbol> {
        if let Some(event) = self.events.front() {
            return if bypass.has_space(event.length) { self.events.pop_front() } else { None };
        }
        let &(echo, from) = self.late.front()?;
        if from > cycle || !bypass.has_space(echo.length) {
            return None;
        }
        self.take_late_echo()
    }

    /// Returns the effective priority of a send packet in the bypass FIFO: its own, raised by its age.
    fn effective(&self, entry: &Entry, cycle: u64) -> u64 {
        let age = cycle - entry.arrived;
        u64::from(entry.first.priority) + self.options.ageing_cycles.map_or(0, |ageing| age / ageing)
    }

    /// An event, else the oldest of the echoes and of the send packets of the highest effective priority.
    fn first_to_leave(&self, cycle: u64, bypass: &Bypass) -> Option<usize> {
        let entries = &bypass.entries;
        let sends = entries.iter().filter(|entry| entry.first.is_send());
        let highest = sends.map(|entry| self.effective(entry, cycle)).max();
        let event = entries.iter().position(|entry| entry.first.kind == Kind::Event);
        event.or_else(|| {
            entries.iter().position(|entry| !entry.first.is_send() || Some(self.effective(entry, cycle)) == highest)
        })
    }

    /// Returns whether a packet of this priority passes over busy echoes: as an option, unless the last idle that came
    /// in stops more than this priority for others.
    fn passes_over(&self, priority: u8) -> bool {
        !self.is_base
            && self.options.overtakes == Overtakes::BusyEchoes
            && self.go.last_received <= u16::from(priority) + 1
    }

    /// A packet may go before all that is in the bypass FIFO: send packets of lower priorities, unless it has been
    /// refused before; or busy echoes alone, as an option, unless the last idle says stop to its equals for others.
    fn goes_before(&self, priority: u8, refused: bool, cycle: u64, bypass: &Bypass) -> bool {
        let mut sends = bypass.entries.iter().filter(|entry| entry.first.is_send()).peekable();
        if sends.peek().is_some() {
            return !refused && sends.all(|entry| self.effective(entry, cycle) < u64::from(priority));
        }
        let is_busy = |entry: &Entry| entry.first.kind == Kind::Echo { accepted: false };
        self.passes_over(priority) && bypass.entries.iter().all(is_busy)
    }

    /// The lower priorities in the bypass FIFO make space for a packet, if they must and can. Returns whether there is
    /// space.
    fn make_space(&mut self, symbols: u32, cycle: u64, bypass: &mut Bypass) -> bool {
        let left = self.echo_symbols + 1;
        let is_victim =
            |entry: &Entry| entry.first.is_send() && entry.is_complete_in(symbols + 1) && entry.received() > left;
        let mut victims: Vec<usize> =
            (0..bypass.entries.len()).filter(|&place| is_victim(&bypass.entries[place])).collect();
        let received = |place: usize| bypass.entries[place].received();
        victims.sort_by_key(|&place| (self.effective(&bypass.entries[place], cycle), Reverse(received(place)), place));
        let occupancies = (0..=victims.len()).map(|count| {
            let saved: u32 = victims[..count].iter().map(|&place| received(place) - left).sum();
            (count, bypass.occupancy() - saved as usize)
        });
        let enough = occupancies.into_iter().find(|&(_, occupancy)| bypass.would_have_space(occupancy, symbols));
        let Some((count, _)) = enough else { return false };
        for &place in &victims[..count] {
            let echo = bypass.entries[place].first.echo(self.index, false, self.echo_symbols);
            bypass.replace(place, echo);
            self.preempted += 1;
        }
        true
    }

    // --- Inheritance ----------------------------------------------------------------------------------------------

    /// Lets the packet that holds the last place among the packets sent and not yet accepted inherit the priority of
    /// what waits for this place.
    fn inherit(&mut self, class: Class, host: &mut Host, records: &mut Records) {
        if !host.queue.is_at_limit(class) {
            return;
        }
        let Some(priority) = host.queue.highest_waiting(class, records) else { return };
        let unaccepted = &host.queue.unaccepted[class.index()];
        let lowest = unaccepted.iter().copied().min_by_key(|&packet| records.packets[packet].priority);
        let Some(packet) = lowest.filter(|&packet| records.packets[packet].priority < priority) else { return };
        host.queue.raise(packet, priority, records);
        self.events.push_back(PacketSymbol {
            kind: Kind::Event,
            packet,
            source: self.index,
            target: self.index,
            group: 0,
            priority,
            phase: records.packets[packet].phase,
            granted: false,
            position: 0,
            length: self.options.event_symbols,
        });
    }
}
