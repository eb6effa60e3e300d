//! Directed Flow Control: section 4 of docs/explanation/realtime-model.md.

use std::collections::VecDeque;

use proptest::bool;
use proptest::prelude::*;
use ringlet_engine::protocols::dfc::DfcSpec;
use ringlet_engine::spec::NetworkSpec;

use crate::random::{self, Frame};
use crate::reference::bypass::Bypass;
use crate::reference::control::{Collected, Command, Control, StopTo};
use crate::reference::decider::Choice;
use crate::reference::host::{Host, Reception, Service};
use crate::reference::node::Transmitter;
use crate::reference::packet::{Class, Packet};
use crate::reference::protocol::{Here, Protocol};
use crate::reference::records::Records;
use crate::reference::symbol::{Idle, PacketSymbol};

/// Arbitration of a node for its input queue of one class.
#[derive(Debug)]
struct Arbitration {
    class: Class,
    blocked: bool,
    /// Packets granted that have not arrived.
    grants: u32,
    collected: Option<Collected>,
    last_grantee: u32,
    /// STOP-TO symbols still to be sent for packets that were served.
    due: u32,
    in_flight: bool,
    /// INIT and STOP-TO symbols on the ring that were sent before the last RELEASE.
    stale: u32,
    /// Since when lower priorities have held up what is collected.
    held_since: Option<u64>,
}

impl Arbitration {
    fn new(class: Class, index: u32) -> Self {
        Self {
            class,
            blocked: false,
            grants: 0,
            collected: None,
            last_grantee: index,
            due: 0,
            in_flight: false,
            stale: 0,
            held_since: None,
        }
    }

    fn stop_to(&self, grant: bool, held_since: Option<u64>) -> Command {
        let (class, named) = (self.class, self.last_grantee);
        Command::StopTo(StopTo { class, named, grant, taken: false, held_since, collected: None })
    }

    fn has_room(&self, host: &Host) -> bool {
        host.inputs[self.class.index()].free(self.grants) > 0
    }

    /// The STOP-TO that is to be sent now, if any.
    fn issue(&mut self, host: &Host) -> Option<Command> {
        let grantee = self.collected.filter(|_| self.has_room(host));
        if !self.blocked || self.in_flight || (self.due == 0 && grantee.is_none()) {
            return None;
        }
        self.in_flight = true;
        self.due = self.due.saturating_sub(1);
        let Some(grantee) = grantee else { return Some(self.stop_to(false, None)) };
        self.grants += 1;
        self.collected = None;
        self.last_grantee = grantee.node;
        let held_since = self.held_since.take();
        Some(self.stop_to(true, held_since))
    }
}

#[derive(Debug)]
struct Dfc {
    options: DfcSpec,
    index: u32,
    /// True if the node has SCI's own flow control.
    is_base: bool,
    nodes: u32,
    /// Own control symbols and those that pass, to be emitted.
    control: VecDeque<Control>,
    announcement: Option<u8>,
    /// By node: its last STOP-THRU.
    announced: Vec<Option<u8>>,
    /// By class and node: packets need a grant.
    blocked: [Vec<bool>; 2],
    /// By class.
    own: [Arbitration; 2],
}

pub(crate) fn transmitter(spec: &NetworkSpec, options: DfcSpec, index: u32) -> Transmitter {
    let nodes = spec.nodes as usize;
    let dfc = Dfc {
        options,
        index,
        is_base: spec.base_nodes.contains(&index),
        nodes: spec.nodes,
        control: VecDeque::new(),
        announcement: None,
        announced: vec![None; nodes],
        blocked: [vec![false; nodes], vec![false; nodes]],
        own: Class::BOTH.map(|class| Arbitration::new(class, index)),
    };
    Transmitter::deciding(index, dfc)
}

pub(crate) fn any(frame: Frame) -> Option<BoxedStrategy<DfcSpec>> {
    let marks = (1..=frame.capacity.unwrap_or(5)).prop_flat_map(|high| (Just(high), 0..high));
    let control_symbols = prop_oneof![3 => Just(2u32), 1 => 1..5u32];
    let parts = (random::bypass_symbols(frame), control_symbols, marks, bool::ANY, bool::ANY);
    let any = parts.prop_map(|(bypass_symbols, control_symbols, (high_water, low_water), stop_thru, fair)| DfcSpec {
        bypass_symbols,
        control_symbols,
        high_water,
        low_water,
        stop_thru,
        fair,
    });
    Some(any.boxed())
}

impl Protocol for Dfc {
    fn bypass_symbols(&self) -> u32 {
        self.options.bypass_symbols
    }

    // --- Who may send ---------------------------------------------------------------------------------------------

    fn is_eligible(&self, packet: &Packet) -> bool {
        let hops = (packet.destination + self.nodes - packet.source) % self.nodes;
        let mut between = (1..hops).map(|hop| (packet.source + hop) % self.nodes);
        let may_pass = between.all(|node| self.announced[node as usize].is_none_or(|least| packet.priority >= least));
        may_pass && (!self.blocked[packet.class.index()][packet.destination as usize] || packet.granted)
    }

    fn decide(&mut self, _: Idle, bypass: &mut Bypass, here: &mut Here) -> Choice {
        let head = here.host.queue.head;
        if self.is_base {
            return match (self.control.pop_front(), head) {
                (Some(control), _) => Choice::Control(control),
                _ if !bypass.is_empty() => Choice::Bypassed(0),
                (None, Some(head)) => Choice::Head(head),
                (None, None) => Choice::Nothing,
            };
        }
        let has_space = head.is_some_and(|head| bypass.has_space(here.records.packets[head.packet].symbols));
        if self.options.stop_thru {
            let announcement = match (head, self.announcement) {
                (None, _) => None,
                (Some(_), None) if has_space => None,
                (Some(head), _) => Some(head.priority),
            };
            if announcement != self.announcement {
                self.announcement = announcement;
                self.push(Command::StopThru(announcement));
            }
        }
        match (self.control.pop_front(), head) {
            (Some(control), _) => Choice::Control(control),
            (None, Some(head)) if has_space => Choice::Head(head),
            _ if bypass.is_empty() => Choice::Nothing,
            _ => Choice::Bypassed(0),
        }
    }

    // --- The input queues -----------------------------------------------------------------------------------------

    fn received(&mut self, first: PacketSymbol, reception: Reception, here: &Here) {
        if self.is_base {
            return;
        }
        let class = here.records.packets[first.packet].class;
        let own = &mut self.own[class.index()];
        if first.granted {
            own.grants = own.grants.saturating_sub(1);
        }
        let held = here.host.inputs[class.index()].len();
        if reception.accepted && !own.blocked && held >= self.options.high_water as usize {
            own.blocked = true;
            own.in_flight = true;
            let init = own.stop_to(false, None);
            self.push(init);
        }
    }

    fn served(&mut self, service: Service, here: &Here) {
        let Service::Ended(first) = service else { return };
        let class = here.records.packets[first.packet].class;
        let own = &mut self.own[class.index()];
        if !own.blocked {
            return;
        }
        if here.host.inputs[class.index()].len() <= self.options.low_water as usize {
            own.stale += u32::from(own.in_flight);
            let (last_grantee, stale) = (own.last_grantee, own.stale);
            *own = Arbitration { last_grantee, stale, ..Arbitration::new(class, self.index) };
            self.push(Command::Release(class));
        } else {
            own.due += 1;
            let command = own.issue(here.host);
            command.into_iter().for_each(|command| self.push(command));
        }
    }

    // --- Control symbols ------------------------------------------------------------------------------------------

    fn message_symbols(&self) -> u32 {
        self.options.control_symbols
    }

    /// Returns whether a message passes this node: its maker removes it.
    fn passes(&self, control: Control) -> bool {
        control.maker != self.index
    }

    fn passing(&mut self) -> Control {
        self.control.pop_front().expect("the control symbol that comes in")
    }

    /// A control symbol of this node has not come back.
    fn missed(&mut self, control: Control, here: &mut Here) {
        match control.command {
            Command::StopTo(stop) => self.lose(stop, here.host),
            Command::StopThru(_) => self.push(Command::StopThru(self.announcement)),
            Command::Release(class) if self.own[class.index()].blocked => {}
            Command::Release(class) => self.push(Command::Release(class)),
            Command::Word(word) => panic!("{word} is no control symbol of DFC"),
        }
    }

    fn received_again(&mut self, class: Class) {
        let own = &mut self.own[class.index()];
        own.grants = own.grants.saturating_sub(1);
    }

    fn take(&mut self, control: Control, here: &mut Here) {
        let Control { maker, command } = control;
        if self.is_base {
            return self.control.push_back(control);
        }
        match command {
            Command::StopTo(stop) if maker == self.index => self.come_back(stop, here.cycle, here.host),
            _ if maker == self.index => {}
            Command::Word(word) => panic!("{word} is no control symbol of DFC"),
            Command::StopThru(announced) => {
                self.announced[maker as usize] = announced;
                self.control.push_back(control);
            }
            Command::Release(class) => {
                self.blocked[class.index()][maker as usize] = false;
                self.control.push_back(control);
            }
            Command::StopTo(mut stop) => {
                self.blocked[stop.class.index()][maker as usize] = true;
                self.answer(&mut stop, maker, here);
                self.control.push_back(Control { maker, command: Command::StopTo(stop) });
            }
        }
    }
}

impl Dfc {
    /// An own INIT or STOP-TO was lost: another takes its place, and who it granted has no place kept any more.
    fn lose(&mut self, stop: StopTo, host: &Host) {
        let own = &mut self.own[stop.class.index()];
        if own.stale > 0 {
            own.stale -= 1;
            return;
        }
        own.in_flight = false;
        if stop.grant {
            own.grants = own.grants.saturating_sub(1);
        }
        if own.blocked {
            own.due += 1;
            let command = own.issue(host);
            command.into_iter().for_each(|command| self.push(command));
        }
    }

    fn push(&mut self, command: Command) {
        self.control.push_back(Control { maker: self.index, command });
    }

    /// Takes a grant for this node, and shows what else waits for the maker.
    fn answer(&self, stop: &mut StopTo, maker: u32, here: &mut Here) {
        let Here { cycle, head_is_bound, host, records } = here;
        let (cycle, head_is_bound) = (*cycle, *head_is_bound);
        let (class, index) = (stop.class, self.index);
        let candidate = |records: &Records| {
            let packet = host.queue.candidate(cycle, class, head_is_bound, records)?;
            let Packet { destination, granted, .. } = records.packets[packet];
            (destination == maker && !granted).then_some(packet)
        };
        let mut waiting = candidate(records);
        if stop.grant
            && !stop.taken
            && stop.named == index
            && let Some(packet) = waiting
        {
            records.packets[packet].granted = true;
            if let Some(since) = stop.held_since {
                records.counts[records.packets[packet].flow].input_inversion.add(cycle - since);
            }
            waiting = candidate(records);
            stop.taken = true;
        }
        let Some(packet) = waiting else { return };
        let own = Collected { priority: records.packets[packet].priority, node: self.index };
        let behind = |node: u32| match (node + self.nodes - stop.named) % self.nodes {
            0 => self.nodes,
            distance => distance,
        };
        let is_better = |other: Collected| {
            let is_nearer = self.options.fair && behind(own.node) < behind(other.node);
            own.priority > other.priority || (own.priority == other.priority && is_nearer)
        };
        if stop.collected.is_none_or(is_better) {
            stop.collected = Some(own);
        }
    }

    /// An own INIT or STOP-TO comes back.
    fn come_back(&mut self, stop: StopTo, cycle: u64, host: &Host) {
        let own = &mut self.own[stop.class.index()];
        if own.stale > 0 {
            own.stale -= 1;
            return;
        }
        own.in_flight = false;
        if stop.grant && !stop.taken {
            own.grants = own.grants.saturating_sub(1);
        }
        if !own.blocked {
            return;
        }
        own.collected = stop.collected;
        let queue = &host.inputs[stop.class.index()];
        let held_up = own.collected.is_some_and(|collected| queue.holds_below(collected.priority));
        match held_up && !own.has_room(host) {
            true => own.held_since = own.held_since.or(Some(cycle)),
            false => own.held_since = None,
        }
        let command = own.issue(host);
        command.into_iter().for_each(|command| self.push(command));
    }
}
