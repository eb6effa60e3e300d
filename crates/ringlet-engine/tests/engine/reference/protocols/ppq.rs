//! Preemptive Priority Queue: section 6 of docs/explanation/realtime-model.md.

use std::cmp::Reverse;
use std::collections::VecDeque;

use proptest::bool;
use proptest::prelude::*;
use proptest::sample::select;
use ringlet_engine::protocols::ppq::{LateEcho, PpqSpec};
use ringlet_engine::spec::NetworkSpec;

use crate::random::{self, Frame};
use crate::reference::bypass::{Bypass, Entry};
use crate::reference::decider::Choice;
use crate::reference::go_level::{GO, GoLevel, STOP};
use crate::reference::host::{Host, Reception, Service};
use crate::reference::node::Transmitter;
use crate::reference::packet::Class;
use crate::reference::protocol::{Here, Protocol};
use crate::reference::records::Records;
use crate::reference::symbol::{Idle, Kind, PacketSymbol};

/// Effective priority in the bypass FIFO: that of echoes and events is above all others.
type Effective = (bool, u64);

#[derive(Debug)]
struct Ppq {
    options: PpqSpec,
    index: u32,
    /// It has SCI's own flow control.
    is_base: bool,
    echo_symbols: u32,
    /// Late echoes and events to be inserted: their first symbols.
    late: VecDeque<PacketSymbol>,
    go: GoLevel,
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
        echo_symbols: spec.echo_symbols,
        late: VecDeque::new(),
        go: GoLevel::new(),
        sent_last: None,
        preempted: 0,
    };
    Transmitter::deciding(index, ppq)
}

pub(crate) fn any(frame: Frame) -> Option<BoxedStrategy<PpqSpec>> {
    let late_echo = select(vec![LateEcho::ServiceEnd, LateEcho::ServiceStart]);
    let ageing_cycles = random::optional(1..100u64);
    let parts = (random::bypass_symbols(frame), late_echo, ageing_cycles, [bool::ANY; 2], 1..=frame.symbols(16));
    let any = parts.prop_map(|(bypass_symbols, late_echo, ageing_cycles, options, event_symbols)| {
        let [inheritance, overtakes_echoes] = options;
        PpqSpec { bypass_symbols, late_echo, ageing_cycles, inheritance, overtakes_echoes, event_symbols }
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

    fn idle(&mut self, is_empty: bool, extended: bool, host: &Host) -> Idle {
        if extended {
            self.go.extend();
        }
        let level = if is_empty {
            self.go.emit_saved()
        } else if self.is_base {
            self.go.emit_withholding(STOP)
        } else {
            let reference = self.sent_last.max(host.queue.head.map(|head| head.priority)).unwrap_or(0);
            self.go.emit_withholding((u16::from(reference) + 1).max(self.go.last_received))
        };
        assert!(level <= STOP, "a go level of {level}");
        Idle { level, ..Idle::EMPTY }
    }

    // --- Late echoes ----------------------------------------------------------------------------------------------

    fn preempts(&self) -> bool {
        !self.is_base
    }

    fn served(&mut self, service: Service, _: &Here) {
        if self.is_base {
            return;
        }
        match (service, self.options.late_echo) {
            (Service::Started(first), LateEcho::ServiceStart) | (Service::Ended(first), LateEcho::ServiceEnd) => {
                self.late.push_back(first.echo(self.index, true, self.echo_symbols));
            }
            (Service::Started(_), LateEcho::ServiceEnd) | (Service::Ended(_), LateEcho::ServiceStart) => {}
        }
    }

    /// A packet may have had to give up its place in an input queue.
    fn received(&mut self, _: PacketSymbol, reception: Reception, _: &Here) {
        if let Some(first) = reception.preempted {
            self.late.push_back(first.echo(self.index, false, self.echo_symbols));
            self.preempted += 1;
        }
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
        if self.is_base {
            return Vec::new();
        }
        let late = self.late.iter().filter(|first| first.is_echo()).map(|first| first.packet);
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
        if let Some(&first) = self.late.front()
            && bypass.has_space(first.length)
        {
            self.late.pop_front();
            self.sent_last = Some(first.priority);
            return Choice::Inserted(first);
        }
        if let Some(head) = host.queue.head {
            let symbols = records.packets[head.packet].symbols;
            let goes = match bypass.is_empty() {
                true => u16::from(head.priority) >= emitted.level,
                false => self.overtakes(head.priority, symbols, cycle, bypass),
            };
            if goes {
                self.sent_last = Some(head.priority);
                return Choice::Head(head);
            }
        }
        let highest = |entry: &Entry, place: usize| (self.effective(entry, cycle), Reverse(place));
        let places = 0..bypass.entries.len();
        match places.max_by_key(|&place| highest(&bypass.entries[place], place)) {
            Some(place) => Choice::Bypassed(place),
            None => Choice::Nothing,
        }
    }
}

impl Ppq {
    fn effective(&self, entry: &Entry, cycle: u64) -> Effective {
        if !entry.first.is_send() {
            // Echoes and events come first, in the order in which they arrived.
            return (true, 0);
        }
        let age = cycle - entry.arrived;
        let aged = self.options.ageing_cycles.map_or(0, |ageing| age / ageing);
        (false, u64::from(entry.first.priority) + aged)
    }

    /// A packet may go before the lower priorities in the bypass FIFO; they make space, if they must and can.
    fn overtakes(&mut self, priority: u8, symbols: u32, cycle: u64, bypass: &mut Bypass) -> bool {
        let sends: Vec<usize> =
            (0..bypass.entries.len()).filter(|&place| bypass.entries[place].first.is_send()).collect();
        let effective = |place: usize| self.effective(&bypass.entries[place], cycle).1;
        let only_echoes = sends.is_empty();
        if (only_echoes && !self.options.overtakes_echoes)
            || sends.iter().any(|&place| effective(place) >= u64::from(priority))
        {
            return false;
        }
        let mut victims: Vec<usize> = sends.into_iter().filter(|&place| bypass.entries[place].is_complete()).collect();
        victims.sort_by_key(|&place| (effective(place), Reverse(bypass.entries[place].first.length), place));
        let occupancies = (0..=victims.len()).map(|count| {
            let saved: u32 =
                victims[..count].iter().map(|&place| bypass.entries[place].first.length - self.echo_symbols).sum();
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

    /// What holds the last place among the packets sent and not yet accepted inherits the priority of what waits for
    /// it.
    fn inherit(&mut self, class: Class, host: &mut Host, records: &mut Records) {
        if !host.queue.is_at_limit(class) {
            return;
        }
        let Some(priority) = host.queue.highest_waiting(class, records) else { return };
        let unaccepted = &host.queue.unaccepted[class.index()];
        let lowest = unaccepted.iter().copied().min_by_key(|&packet| records.packets[packet].priority);
        let Some(packet) = lowest.filter(|&packet| records.packets[packet].priority < priority) else { return };
        host.queue.raise(packet, priority, records);
        self.late.push_back(PacketSymbol {
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
