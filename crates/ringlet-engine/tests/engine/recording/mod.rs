//! A recording equals what the symbol-by-symbol reference does.

use std::collections::HashMap;

use proptest::prelude::*;
use ringlet_engine::observe::PacketView;
use ringlet_engine::record::{Change, Fate, LinkRun, Recording, RunKind};
use ringlet_engine::spec::NetworkSpec;

use crate::reference::{self, Class, Kind, PacketSymbol, Reference, Symbol};

/// Every symbol on every link, every packet's data, what happens to it at its source and its destination, and what each
/// node has queued and sent.
pub(crate) fn compare(spec: &NetworkSpec, recording: &Recording, reference: &Reference) -> Result<(), TestCaseError> {
    let mut numbers = Numbers::default();
    for node in 0..spec.nodes {
        let runs: Vec<&LinkRun> = recording.runs.iter().filter(|run| run.node == node).collect();
        let emitted = reference.emitted(node as usize);
        let mut cycle = 0;
        for run in runs {
            prop_assert_eq!(run.cycle, cycle, "node {} emits without a gap", node);
            cycle += u64::from(run.count);
            for (position, symbol) in (0..run.count).zip(&emitted[run.cycle as usize..]) {
                let at = run.cycle + u64::from(position);
                // Written out only if they differ.
                let place = format_args!("node {node}, cycle {at}: {run:?}, {symbol:?}");
                compare_symbol(run, position, symbol, (reference, &mut numbers), place)?;
            }
        }
        prop_assert!(cycle >= recording.to, "node {} emits up to the end", node);
    }
    let mut alike: HashMap<Identity, Vec<&reference::Packet>> = HashMap::new();
    for (number, packet) in reference.packets().iter().enumerate() {
        alike.entry(identity(reference, number)).or_default().push(packet);
    }
    for (ours, theirs) in &numbers.theirs {
        compare_packet(&recording.packets[*ours as usize], &alike[theirs])?;
    }
    compare_events(recording, reference, &numbers)?;
    compare_queues(recording, reference)
}

/// Which packet of the recording is which of the reference: there each sending of a transaction has packets of its own.
#[derive(Default)]
struct Numbers {
    theirs: HashMap<u32, Identity>,
    ours: HashMap<Identity, u32>,
}

/// The packet that began a transaction first, for all requests, or for all responses.
type Identity = (usize, bool);

/// The first symbol on any link that differs, in words: the node that emits it, and the cycle.
pub(crate) fn first_difference(spec: &NetworkSpec, recording: &Recording, reference: &Reference) -> String {
    let of_node = |node: u32| {
        let emitted = reference.emitted(node as usize);
        let mut numbers = Numbers::default();
        for run in recording.runs.iter().filter(|run| run.node == node) {
            for (position, symbol) in (0..run.count).zip(emitted.get(run.cycle as usize..).unwrap_or_default()) {
                let place = format_args!("");
                if compare_symbol(run, position, symbol, (reference, &mut numbers), place).is_err() {
                    let cycle = run.cycle + u64::from(position);
                    let words = format!("the engine emits symbol {position} of {run:?}, the reference {symbol:?}");
                    return Some((cycle, format!("node {node}, cycle {cycle}: {words}")));
                }
            }
        }
        None
    };
    let first = (0..spec.nodes).filter_map(of_node).min_by_key(|&(cycle, _)| cycle);
    first.map_or_else(|| "every symbol on every link is alike".into(), |(_, words)| words)
}

fn identity(reference: &Reference, number: usize) -> Identity {
    let answered = reference.packet_numbered(number).answers;
    let request = answered.unwrap_or(number);
    (reference.packet_numbered(request).first.unwrap_or(request), answered.is_some())
}

impl Numbers {
    fn agree(&mut self, ours: u32, theirs: Identity) -> bool {
        *self.theirs.entry(ours).or_insert(theirs) == theirs && *self.ours.entry(theirs).or_insert(ours) == ours
    }
}

fn kind(symbol: &PacketSymbol) -> RunKind {
    match symbol.kind {
        Kind::Send => RunKind::Send,
        Kind::Retry => RunKind::Retry,
        Kind::Echo { accepted: true } => RunKind::Echo,
        Kind::Echo { accepted: false } => RunKind::BusyEcho,
        Kind::Event => RunKind::Event,
        Kind::Train | Kind::Call => RunKind::Train,
    }
}

fn compare_symbol(
    run: &LinkRun,
    position: u32,
    symbol: &Symbol,
    (reference, numbers): (&Reference, &mut Numbers),
    place: std::fmt::Arguments<'_>,
) -> Result<(), TestCaseError> {
    match symbol {
        Symbol::Idle(idle) => prop_assert_eq!((run.kind, run.word), (RunKind::Idle, idle.word()), "{}", place),
        Symbol::Control(symbol) => {
            prop_assert_eq!((run.kind, run.maker), (RunKind::Control, Some(symbol.control.maker)), "{}", place);
            prop_assert_eq!((position, run.count), (symbol.position, symbol.length), "{}", place);
            if let reference::Command::Word(word) = symbol.control.command {
                prop_assert_eq!(run.word, word, "{}", place);
            }
        }
        Symbol::Packet(symbol) => {
            prop_assert_eq!(run.kind, kind(symbol), "{}", place);
            prop_assert_eq!((position, run.count), (symbol.position, symbol.length), "{}", place);
            if run.kind == RunKind::Event {
                prop_assert_eq!((run.maker, run.word), (Some(symbol.source), u32::from(symbol.priority)), "{}", place);
            }
            if !matches!(symbol.kind, Kind::Train | Kind::Call) {
                let packet = run.packet.expect("it is, or is about, a packet");
                let theirs = identity(reference, symbol.packet);
                prop_assert!(numbers.agree(packet, theirs), "{}", place);
            }
        }
    }
    Ok(())
}

/// A packet of the recording is as one of those that are sent for its transaction: each response was made for itself.
fn compare_packet(ours: &PacketView, alike: &[&reference::Packet]) -> Result<(), TestCaseError> {
    let of_that_time = alike.iter().find(|packet| packet.generated == ours.generated);
    prop_assert!(of_that_time.is_some(), "{:?} is none of {:?}", ours, alike);
    let theirs = of_that_time.expect("checked just before");
    let response = theirs.class == Class::Response;
    prop_assert_eq!((ours.flow as usize, ours.response), (theirs.flow, response));
    prop_assert_eq!((ours.source, ours.destination), (theirs.source, theirs.destination));
    prop_assert_eq!(ours.symbols, theirs.symbols);
    Ok(())
}

/// Lengths of a queue of a node at the end of each cycle.
fn by_cycle(lengths: &[Change<u64>], node: u32, end: u64) -> Vec<u64> {
    let own: Vec<&Change<u64>> = lengths.iter().filter(|change| change.node == node).collect();
    let ends = own.iter().skip(1).map(|change| change.cycle).chain([end]);
    let cycles = own.iter().zip(ends);
    cycles.flat_map(|(change, end)| (change.cycle..end).map(|_| change.value)).collect()
}

/// Queues hold in each cycle as many packets as those of the reference.
fn compare_queues(recording: &Recording, reference: &Reference) -> Result<(), TestCaseError> {
    for node in (0..).take(reference.nodes().len()) {
        let [transmit, receive] = reference.lengths(node);
        let ours = by_cycle(&recording.transmit_lengths, node, recording.to);
        let first = ours.iter().zip(transmit).position(|(ours, theirs)| ours != theirs);
        prop_assert_eq!(first, None, "cycle in which the transmit queue of node {} differs", node);
        let ours = by_cycle(&recording.receive_lengths, node, recording.to);
        let first = ours.iter().zip(receive).position(|(ours, theirs)| ours != theirs);
        prop_assert_eq!(first, None, "cycle in which the receive queues of node {} differ", node);
    }
    Ok(())
}

/// A packet is accepted, refused and delivered at its destination, and its echoes take effect at its source, in the
/// cycles of the reference.
fn compare_events(recording: &Recording, reference: &Reference, numbers: &Numbers) -> Result<(), TestCaseError> {
    let kinds = [Fate::Accepted, Fate::Refused, Fate::Acknowledged, Fate::Returned, Fate::Delivered];
    let ours = recording.events.iter().filter(|event| kinds.contains(&event.fate));
    let mut ours: Vec<_> =
        ours.map(|event| (event.cycle, event.node, event.fate, numbers.theirs.get(&event.packet).copied())).collect();
    let theirs = reference.happened().iter().filter(|one| one.cycle < recording.to);
    let mut theirs: Vec<_> =
        theirs.map(|one| (one.cycle, one.node, one.fate, Some(identity(reference, one.packet)))).collect();
    ours.sort();
    theirs.sort();
    let first = ours.iter().zip(&theirs).find(|(ours, theirs)| ours != theirs);
    prop_assert_eq!(first, None, "the first event that differs");
    prop_assert_eq!(ours.len(), theirs.len(), "events");
    Ok(())
}
