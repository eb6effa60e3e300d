//! What the fuzzer tries: texts as specs of the engine. It keeps those that reach code that no others have reached, and
//! changes them further.

#![allow(dead_code, unused_imports, clippy::all)]

#[path = "../../crates/ringlet-engine/tests/engine/against_reference.rs"]
mod against_reference;
#[path = "../../crates/ringlet-engine/tests/engine/random/mod.rs"]
mod random;
#[path = "../../crates/ringlet-engine/tests/engine/recording/mod.rs"]
mod recording;
#[path = "../../crates/ringlet-engine/tests/engine/reference/mod.rs"]
mod reference;

use ringlet_engine::Simulation;
use ringlet_engine::spec::NetworkSpec;

fn protocol(spec: &NetworkSpec) -> ringlet_engine::protocols::FlowControlSpec {
    spec.flow_control.options().expect("a protocol that there is")
}

/// Any text as a spec: it is refused, or simulated for a while, and a small ring by the reference, too. Nothing panics.
pub fn spec(bytes: &[u8]) {
    const FLOWS: usize = 256;
    const LARGEST: u32 = 64;
    const COMPARED: u32 = 16;
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(spec) = NetworkSpec::from_json(text) else { return };
    // Larger ones take time and show nothing else.
    if spec.nodes > LARGEST || spec.flows.len() > FLOWS {
        return;
    }
    let Ok(mut simulation) = Simulation::new(&spec) else { return };
    let stall = simulation.advance(2_000);
    // The reference knows rings, and no stalls.
    if spec.nodes <= COMPARED && stall.is_none() && spec.network.is_none() && spec.workload.is_empty() {
        against_reference::compare(&spec, &[700, 800]).unwrap_or_else(|error| panic!("{error}\n{spec:?}"));
    }
}
