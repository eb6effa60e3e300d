//! Links that spoil packets, echoes and messages, and what their senders and makers find out of it
//! (docs/explanation/network-model.md, "Link errors").

use ringlet_engine::Noise;
use ringlet_engine::protocols::FlowControlSpec;
use ringlet_engine::spec::{ErrorsSpec, NetworkSpec};

use super::control::Control;
use super::packet::Class;
use super::records::Records;
use super::reservation::Phase;
use super::symbol::{Kind, Symbol};

/// What was lost, as the node that misses it knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missed {
    /// A packet, or its echo. It keeps the place that it has been granted, and the phase that it was given.
    Packet {
        number: usize,
        granted: bool,
        phase: Phase,
    },
    Message(Control),
    /// A train.
    Train,
    /// A packet to this node that had been granted a place, which it has lost.
    Granted(Class),
}

#[derive(Debug)]
struct Loss {
    missed: Missed,
    /// Node that sent the packet, or made the message.
    by: u32,
    /// Place at which it was lost.
    place: u32,
    /// Cycle in which its last symbol comes in there.
    complete: u64,
    /// Cycle in which it is missed.
    noticed: u64,
}

/// What has been lost at a node, and what a node has missed.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Losses {
    pub(crate) sends: u64,
    pub(crate) echoes: u64,
    pub(crate) timeouts: u64,
    pub(crate) given_up: u64,
    pub(crate) undelivered: u64,
}

/// The link that leads to a node.
#[derive(Debug)]
struct Link {
    noise: Noise,
    /// Cycles from which on, and before which, everything is lost.
    interruptions: Vec<(u64, u64)>,
    /// What comes in now is spoilt.
    spoils: bool,
}

#[derive(Debug)]
pub(crate) struct Faults {
    links: Vec<Link>,
    timeout: u64,
    /// TRAIN: the node that makes trains.
    train_master: Option<u32>,
    pub(crate) max_timeouts: u8,
    /// Not yet missed.
    losses: Vec<Loss>,
    /// By node.
    pub(crate) counts: Vec<Losses>,
}

impl Faults {
    /// Returns the faults of a ring that is the only one of its network; `None`: it has none.
    pub(crate) fn new(spec: &NetworkSpec) -> Option<Self> {
        let ErrorsSpec { bit_error_rate, links, timeout_cycles, max_timeouts, .. } =
            spec.network.as_ref()?.errors.as_ref()?;
        let link = |node: u32| {
            let from = (node + spec.nodes - 1) % spec.nodes;
            let own = links.iter().find(|link| link.place == from);
            let rate = own.and_then(|own| own.bit_error_rate).unwrap_or(*bit_error_rate);
            let interruptions = own.iter().flat_map(|own| &own.interruptions);
            Link {
                noise: Noise::new(rate, spec.format.link_width, spec.seed, 0, node.into()),
                interruptions: interruptions.map(|&(from, until)| (from, until.unwrap_or(u64::MAX))).collect(),
                spoils: false,
            }
        };
        Some(Self {
            links: (0..spec.nodes).map(link).collect(),
            timeout: *timeout_cycles,
            train_master: match crate::protocol(spec) {
                FlowControlSpec::Train(options) => Some(options.ticket_master),
                _ => None,
            },
            max_timeouts: max_timeouts.unwrap_or(u8::MAX),
            losses: Vec::new(),
            counts: vec![Losses::default(); spec.nodes as usize],
        })
    }

    /// Returns whether the symbol that comes in at a node belongs to what is spoilt.
    pub(crate) fn spoils(&mut self, node: usize, symbol: Symbol, cycle: u64, records: &Records) -> bool {
        let link = &mut self.links[node];
        let (is_first, length) = match symbol {
            Symbol::Idle(_) => return false,
            Symbol::Packet(symbol) => (symbol.is_first(), symbol.length),
            Symbol::Control(symbol) => (symbol.is_first(), symbol.length),
        };
        if !is_first {
            return link.spoils;
        }
        let is_interrupted = link.interruptions.iter().any(|&(from, until)| from <= cycle && cycle < until);
        link.spoils = is_interrupted || link.noise.spoils(length);
        if !link.spoils {
            return false;
        }
        let mut granted = None;
        let (missed, by) = match symbol {
            Symbol::Packet(symbol) if symbol.kind == Kind::Train => {
                (Missed::Train, self.train_master.expect("there are trains with TRAIN only"))
            }
            // Who has called calls again.
            Symbol::Packet(symbol) if symbol.kind == Kind::Call => return true,
            Symbol::Control(symbol) => (Missed::Message(symbol.control), symbol.control.maker),
            Symbol::Packet(symbol) => {
                let packet = &records.packets[symbol.packet];
                match symbol.kind {
                    Kind::Send | Kind::Retry => {
                        self.counts[node].sends += 1;
                        if symbol.granted && self.train_master.is_some() {
                            granted = Some((symbol.target, packet.class));
                        }
                    }
                    Kind::Echo { .. } => self.counts[node].echoes += 1,
                    // Its maker does nothing about it.
                    Kind::Event => return true,
                    Kind::Train | Kind::Call => unreachable!("handled above"),
                }
                let granted = symbol.is_send() && symbol.granted && self.train_master.is_none();
                (Missed::Packet { number: symbol.packet, granted, phase: symbol.phase }, packet.source)
            }
            Symbol::Idle(_) => unreachable!("no idle is spoilt"),
        };
        let (complete, noticed) = (cycle + u64::from(length) - 1, cycle + self.timeout);
        let place = node as u32;
        self.losses.push(Loss { missed, by, place, complete, noticed });
        if let Some((by, class)) = granted {
            self.losses.push(Loss { missed: Missed::Granted(class), by, place, complete, noticed });
        }
        true
    }

    /// Takes what a node misses in this cycle: packets in the order of their flows and messages, then messages in the
    /// order of the places at which they were lost.
    pub(crate) fn take_missed(&mut self, node: u32, cycle: u64, records: &Records) -> Vec<Missed> {
        let mut missed: Vec<Loss> =
            self.losses.extract_if(.., |loss| loss.by == node && loss.noticed == cycle).collect();
        missed.sort_by_key(|loss| match loss.missed {
            Missed::Packet { number, .. } => {
                let packet = &records.packets[number];
                let request = packet.answers.unwrap_or(number);
                (0, packet.flow, packet.message, request, packet.class == Class::Response)
            }
            Missed::Message(_) | Missed::Train | Missed::Granted(_) => (1, loss.place as usize, 0, 0, false),
        });
        missed.into_iter().map(|loss| loss.missed).collect()
    }

    /// Packets, as such or as echoes, that are lost by the end of this cycle and not yet missed.
    pub(crate) fn lost(&self, cycle: u64) -> impl Iterator<Item = usize> {
        self.losses.iter().filter(move |loss| loss.complete <= cycle).filter_map(|loss| match loss.missed {
            Missed::Packet { number, .. } => Some(number),
            Missed::Message(_) | Missed::Train | Missed::Granted(_) => None,
        })
    }
}
