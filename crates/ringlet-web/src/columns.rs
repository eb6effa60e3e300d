//! A recording as the ring player has it: columns, cycles from the window's start, and where each node's rows begin.

use ringlet_engine::observe::UNKNOWN;
use ringlet_engine::record::{Change, Recording};
use serde::Serialize;
use serde_json::{Value, json};

/// No packet, no node.
const NONE: i64 = -1;

fn number(value: Option<u32>) -> i64 {
    value.map_or(NONE, i64::from)
}

fn column<R, T: Serialize>(rows: &[R], value: impl Fn(&R) -> T) -> Vec<T> {
    rows.iter().map(value).collect()
}

/// The place of each node's first row, and behind them how many rows there are.
fn first<R>(rows: &[R], nodes: u32, node: impl Fn(&R) -> u32) -> Vec<usize> {
    (0..=nodes).map(|wanted| rows.partition_point(|row| node(row) < wanted)).collect()
}

fn changes<T>(rows: &[Change<T>], nodes: u32, from: i64, value: impl Fn(&T) -> i64) -> Value {
    json!({
        "first": first(rows, nodes, |row| row.node),
        "cycle": column(rows, |row| row.cycle as i64 - from),
        "value": column(rows, |row| value(&row.value)),
    })
}

/// The tables of a single ring of so many nodes.
pub(crate) fn columns(recording: &Recording, nodes: u32) -> Value {
    let from = recording.from as i64;
    let (runs, stays, packets) = (&recording.runs[..], &recording.stays[..], &recording.packets[..]);
    let mut events = recording.events.clone();
    events.sort_by_key(|event| event.packet);
    json!({
        "from": recording.from,
        "cycles": recording.to - recording.from,
        "runs": {
            "first": first(runs, nodes, |row| row.node),
            "cycle": column(runs, |row| row.cycle as i64 - from),
            "symbols": column(runs, |row| row.count),
            "code": column(runs, |row| row.kind as u8 | (row.activity as u8) << 4),
            "packet": column(runs, |row| number(row.packet)),
            "word": column(runs, |row| row.word as i32),
            "maker": column(runs, |row| number(row.maker)),
            "to": column(runs, |row| number(row.target)),
        },
        "stays": {
            "first": first(stays, nodes, |row| row.node),
            "cycle": column(stays, |row| row.cycle as i64 - from),
            "symbols": column(stays, |row| row.count),
            "packet": column(stays, |row| number(row.packet)),
            "kind": column(stays, |row| row.kind as u8),
            // How long after it came in the first symbol leaves; 0: not in the window.
            "wait": column(stays, |row| row.leaves.map_or(0, |(cycle, _)| cycle - row.cycle)),
            "leaving": column(stays, |row| row.leaves.map_or(0, |(_, count)| count)),
            "replaced": column(stays, |row| row.replaced.map_or(0, |cycle| cycle - row.cycle)),
        },
        "heads": changes(&recording.heads, nodes, from, |&head| number(head)),
        "transmit_lengths": changes(&recording.transmit_lengths, nodes, from, |&length| length as i64),
        "receive_lengths": changes(&recording.receive_lengths, nodes, from, |&length| length as i64),
        "withheld": changes(&recording.withheld, nodes, from, |&word| i64::from(word as i32)),
        "packets": {
            "source": column(packets, |row| number(Some(row.source).filter(|&node| node != UNKNOWN))),
            "destination": column(packets, |row| row.destination),
            "flow": column(packets, |row| row.flow),
            "symbols": column(packets, |row| row.symbols),
            "priority": column(packets, |row| row.priority),
            "group": column(packets, |row| row.group),
            "response": column(packets, |row| u8::from(row.response)),
            "generated": column(packets, |row| (row.generated as i64 - from).max(i64::from(i32::MIN))),
        },
        "events": {
            "packet": column(&events, |row| row.packet),
            "cycle": column(&events, |row| row.cycle as i64 - from),
            "node": column(&events, |row| row.node),
            "fate": column(&events, |row| row.fate as u8),
        },
    })
}
