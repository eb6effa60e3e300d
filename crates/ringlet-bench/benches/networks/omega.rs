//! The Omega network that the benchmark runs.

use ringlet_engine::protocols::{FlowControlSpec, none::NoneSpec};
use ringlet_engine::spec::{ArrivalSpec, DestinationSpec, InterfaceSpec, NetworkSpec, RingSpec, RouteStep};

use crate::topologies::{flow, network};

/// The Omega network of 2 x 2 switches between `size` processors and as many memories, joined by ringlets; every
/// processor sends to its own memory, saturated (richter1999, Figure 6.25).
pub(crate) fn omega(size: u32) -> NetworkSpec {
    let stages = size.ilog2();
    let shuffle = |line: u32| (line << 1 | line >> (stages - 1)) & (size - 1);
    let switch = |stage: u32, line: u32| stage * size / 2 + line / 2;
    // Ringlet (stage, line) joins the output `line` of the stage before with the input of the stage; the last ones hold
    // the memories.
    let id = |stage: u32, line: u32| stage * size + line;
    let mut rings = Vec::new();
    for stage in 0..=stages {
        for line in 0..size {
            let before = match stage {
                0 => InterfaceSpec::Node(line),
                _ => InterfaceSpec::Port(switch(stage - 1, line), (2 + line % 2) as u16),
            };
            if stage == stages {
                rings.push(RingSpec {
                    interfaces: vec![before, InterfaceSpec::Node(size + line)],
                    ..RingSpec::default()
                });
                continue;
            }
            let input = shuffle(line);
            let after = InterfaceSpec::Port(switch(stage, input), (input % 2) as u16);
            // Self-routing: at this stage the memory's number decides by its bit of that stage.
            let bit = |memory: u32| memory >> (stages - 1 - stage) & 1;
            let mut routes: Vec<RouteStep> = vec![(0, None, None)];
            for memory in 0..size {
                let step = (id(stages, memory), Some(1), Some(2 + bit(memory) as u16));
                if memory == 0 || bit(memory) != bit(memory - 1) {
                    routes.push(step);
                }
            }
            rings.push(RingSpec { interfaces: vec![before, after], routes, ..RingSpec::default() });
        }
    }
    // At half of the links' rate or more everything is full; all processors send at once.
    let arrivals = ArrivalSpec::Periodic { period: 42.0, phase: 0.0 };
    let flows = (0..size).map(|line| flow(line, DestinationSpec::Fixed { node: size + line }, arrivals)).collect();
    network(rings, (stages * size / 2) as usize, 4, FlowControlSpec::None(NoneSpec {}), flows)
}
