//! The parts of which a simulation is made, as `Scenario.stepping_json` of the Python package writes them for a program
//! in another language: the scenario, the spec that follows from it, and the packets of its trace.

use ringlet_engine::replay::TracePacket;
use ringlet_engine::spec::{MAX_CYCLES, SpecError};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{LoadError, Saved, Stepping};

/// The document, read from JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document<'a> {
    /// The scenario, from which Python goes on with a saved simulation.
    #[serde(borrow)]
    scenario: &'a RawValue,
    /// Seed of every random stream.
    seed: u64,
    #[serde(borrow)]
    spec: &'a RawValue,
    /// The packets of the trace, if the scenario has one.
    #[serde(default)]
    trace: Option<Trace>,
}

/// The packets of a trace, as columns of equal lengths.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Trace {
    cycle: Vec<u64>,
    flow: Vec<u32>,
    destination: Vec<u32>,
    /// Dependences of each packet.
    dependences: Vec<u32>,
    /// Numbers of what they depend on, packet by packet.
    depends_on: Vec<u32>,
}

impl<'a> Document<'a> {
    /// Reads a document.
    ///
    /// # Errors
    /// The text is not such a document.
    pub fn read(json: &'a str) -> Result<Self, SpecError> {
        let document: Self = serde_json::from_str(json).map_err(|error| SpecError {
            path: "spec_json".into(),
            value: error.to_string(),
            allowed: "what Scenario.stepping_json of the Python package writes".into(),
        })?;
        document.check_trace()?;
        Ok(document)
    }

    fn check_trace(&self) -> Result<(), SpecError> {
        let Some(Trace { cycle, flow, destination, dependences, depends_on }) = &self.trace else { return Ok(()) };
        let named: usize = dependences.iter().map(|&count| count as usize).sum();
        if [flow.len(), destination.len(), dependences.len()] == [cycle.len(); 3] && named == depends_on.len() {
            return Ok(());
        }
        Err(SpecError {
            path: "trace".into(),
            value: "columns of different lengths".into(),
            allowed: "a value for each packet".into(),
        })
    }

    /// Builds the simulation at cycle 0. All packets of the trace are known to it.
    ///
    /// # Errors
    /// The first field of the spec that cannot be simulated, or the first packet of the trace.
    pub fn build(&self) -> Result<Stepping, SpecError> {
        let mut stepping = Stepping::from_json(self.spec.get())?;
        self.hand_in(&mut stepping)?;
        Ok(stepping)
    }

    /// Builds the simulation as it was saved. All packets of the trace are known to it.
    ///
    /// # Errors
    /// It was saved of another spec, or its state is damaged.
    pub fn load(&self, saved: Saved) -> Result<Stepping, LoadError> {
        let mut stepping = saved.build(self.spec.get())?;
        self.hand_in(&mut stepping)?;
        Ok(stepping)
    }

    /// The note with which Python loads what is saved of this document.
    pub fn note(&self) -> String {
        format!(r#"{{"scenario": {}, "seed": {}}}"#, self.scenario.get(), self.seed)
    }

    /// Hands the packets of the trace in that the simulation does not know.
    fn hand_in(&self, stepping: &mut Stepping) -> Result<(), SpecError> {
        let simulation = stepping.simulation_mut();
        if simulation.known_until() >= MAX_CYCLES {
            return Ok(());
        }
        let Some(Trace { cycle, flow, destination, dependences, depends_on }) = &self.trace else {
            return Err(SpecError {
                path: "trace".into(),
                value: "none".into(),
                allowed: "the packets of the scenario's trace".into(),
            });
        };
        let known = simulation.handed_in() as usize;
        let mut first = 0;
        let packets = (0..cycle.len()).map(|row| {
            let all = first..first + dependences[row] as usize;
            first = all.end;
            TracePacket {
                cycle: cycle[row],
                flow: flow[row],
                destination: destination[row],
                depends_on: &depends_on[all],
            }
        });
        simulation.hand_in(packets.skip(known), MAX_CYCLES)
    }
}
