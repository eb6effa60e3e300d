//! `ringlet-engine` for a browser: a ring that is built, advanced and recorded on request.
//!
//! A page writes a request as JSON to [`room`], calls [`answer`], and reads the JSON that has taken its place at
//! [`place`]. All of this is safe code: the page alone reads and writes memory by its addresses.

// An exported name is the one thing here that the compiler counts as unsafe: another symbol might have it.
#![allow(unsafe_code)]

mod columns;

use std::cell::RefCell;

use ringlet_engine::record::Recorder;
use ringlet_engine::spec::NetworkSpec;
use ringlet_engine::{Simulation, Stall};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
enum Request {
    /// A ring at cycle 0, in place of the one before.
    Build { spec: Box<NetworkSpec> },
    /// Advances by so many cycles; the answer has what was counted since the last reset.
    Advance { cycles: u64 },
    /// All counts begin again.
    Reset,
    /// The next so many cycles of the same ring, recorded; what is advanced and counted stays as it is.
    Record { cycles: u64 },
}

/// A ring twice: as far as it was advanced, and as far as it was recorded.
struct Ring {
    advanced: Simulation,
    /// Simulation at which a recorder begins to see the ring: before the next window, since nodes emit whole packets at
    /// once.
    recorded: Simulation,
    lead_cycles: u64,
    next_cycle: u64,
}

impl Ring {
    fn new(spec: &NetworkSpec) -> Result<Self, String> {
        if spec.network.is_some() {
            return Err("network: a network of rings is not allowed; a single ring".to_owned());
        }
        let advanced = Simulation::new(spec).map_err(|error| error.to_string())?;
        let lead_cycles = Recorder::lead_cycles_of(spec).map_err(|error| error.to_string())?;
        Ok(Self { recorded: advanced.fork(), advanced, lead_cycles, next_cycle: 0 })
    }

    fn advance(&mut self, cycles: u64) -> Result<Value, String> {
        let stall = self.advanced.advance(cycles);
        let flows = self.advanced.flow_counters();
        let nodes = self.advanced.node_counters();
        let flow = |value: fn(&ringlet_engine::measure::FlowCounters) -> u64| {
            flows.iter().map(|counters| value(counters)).collect::<Vec<_>>()
        };
        let node =
            |value: fn(&ringlet_engine::measure::NodeCounters) -> u64| nodes.iter().map(value).collect::<Vec<_>>();
        Ok(json!({
            "cycle": self.advanced.cycle(),
            "stall": stall.map(stalled),
            "flows": {
                "generated_packets": flow(|it| it.generated_packets),
                "sent_packets": flow(|it| it.sent_packets),
                "retries": flow(|it| it.retries),
                "delivered_packets": flow(|it| it.delivered_packets),
                "delivered_symbols": flow(|it| it.delivered_symbols),
                "latency_sum_cycles": flow(|it| it.latency_sum_cycles),
                "latency_max_cycles": flow(|it| it.latency_max_cycles),
            },
            "nodes": {
                "link_send_symbols": node(|it| it.link_send_symbols),
                "link_retry_symbols": node(|it| it.link_retry_symbols),
                "link_echo_symbols": node(|it| it.link_echo_symbols),
                "link_control_symbols": node(|it| it.link_control_symbols),
                "link_idle_symbols": node(|it| it.link_idle_symbols),
                "transmit_queue_max": node(|it| it.transmit_queue_max),
                "bypass_max_symbols": node(|it| it.bypass_max_symbols),
            },
        }))
    }

    fn record(&mut self, cycles: u64) -> Result<Value, String> {
        let (from, to) = (self.next_cycle, self.next_cycle.saturating_add(cycles));
        if from == to {
            return Err("cycles: 0 is not allowed; at least 1".to_owned());
        }
        let recorder = Recorder::new(from, to);
        let mut seen = self.recorded.recorded(recorder.clone());
        if let Some(stall) = seen.advance(to - seen.cycle()) {
            return Err(stalled(stall));
        }
        let begin = to.saturating_sub(self.lead_cycles);
        self.recorded.advance(begin.saturating_sub(self.recorded.cycle()));
        self.next_cycle = to;
        Ok(columns::columns(&recorder.finish(), self.advanced.nodes()))
    }
}

fn stalled(stall: Stall) -> String {
    format!("the ring stands still since cycle {}: {}", stall.since_cycle, stall.detail)
}

fn done(request: &[u8], ring: &mut Option<Ring>) -> Result<Value, String> {
    let request: Request = serde_json::from_slice(request).map_err(|error| error.to_string())?;
    let built = || "no ring was built".to_owned();
    match request {
        Request::Build { spec } => {
            *ring = Some(Ring::new(&spec)?);
            Ok(Value::Null)
        }
        Request::Advance { cycles } => ring.as_mut().ok_or_else(built)?.advance(cycles),
        Request::Reset => {
            ring.as_mut().ok_or_else(built)?.advanced.reset_measurement();
            Ok(Value::Null)
        }
        Request::Record { cycles } => ring.as_mut().ok_or_else(built)?.record(cycles),
    }
}

thread_local! {
    static MESSAGE: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static RING: RefCell<Option<Ring>> = const { RefCell::new(None) };
}

/// Makes room for a request of so many bytes and returns its address.
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> usize {
    MESSAGE.with_borrow_mut(|message| {
        message.clear();
        message.resize(bytes, 0);
        message.as_mut_ptr() as usize
    })
}

/// Does what the request says, puts the answer in its place and returns how many bytes it has.
///
/// An answer is `{"ok": ...}` or `{"error": "..."}`.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    MESSAGE.with_borrow_mut(|message| {
        let done = RING.with_borrow_mut(|ring| done(message, ring));
        let answer = match done {
            Ok(value) => json!({ "ok": value }),
            Err(error) => json!({ "error": error }),
        };
        *message = answer.to_string().into_bytes();
        message.len()
    })
}

/// Address of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn place() -> usize {
    MESSAGE.with_borrow(|message| message.as_ptr() as usize)
}
