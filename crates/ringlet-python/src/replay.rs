//! Packets of a trace, handed in as columns.

use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use ringlet_engine::replay::TracePacket;

use crate::{Simulation, guarded};

/// Columns of equally many packets.
#[derive(FromPyObject)]
pub(crate) struct Packets<'py> {
    #[pyo3(item)]
    cycle: PyReadonlyArray1<'py, u64>,
    #[pyo3(item)]
    flow: PyReadonlyArray1<'py, u32>,
    #[pyo3(item)]
    destination: PyReadonlyArray1<'py, u32>,
    /// Dependences of each packet.
    #[pyo3(item)]
    dependences: PyReadonlyArray1<'py, u32>,
    /// Numbers of what they depend on, packet by packet.
    #[pyo3(item)]
    depends_on: PyReadonlyArray1<'py, u32>,
}

impl Packets<'_> {
    pub(crate) fn hand_in(&self, simulation: &mut ringlet_engine::Simulation, until: u64) -> PyResult<()> {
        let (cycle, flow) = (self.cycle.as_slice()?, self.flow.as_slice()?);
        let (destination, dependences) = (self.destination.as_slice()?, self.dependences.as_slice()?);
        let depends_on = self.depends_on.as_slice()?;
        let rows = cycle.len();
        let named: usize = dependences.iter().map(|&count| count as usize).sum();
        if [flow.len(), destination.len(), dependences.len()] != [rows; 3] || named != depends_on.len() {
            return Err(PyValueError::new_err("packets: columns of different lengths are not allowed; one value each"));
        }
        let mut first = 0;
        let packets = (0..rows).map(|row| {
            let all = first..first + dependences[row] as usize;
            first = all.end;
            TracePacket {
                cycle: cycle[row],
                flow: flow[row],
                destination: destination[row],
                depends_on: &depends_on[all],
            }
        });
        let handed_in = guarded("took packets in", || simulation.hand_in(packets, until))?;
        handed_in.map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

impl Simulation {
    pub(crate) fn take_in(&mut self, packets: &Packets<'_>, until: u64) -> PyResult<()> {
        packets.hand_in(&mut self.inner, until)
    }

    pub(crate) fn replay_counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let replayed = self.inner.replayed();
        let counts = PyDict::new(py);
        counts.set_item("started", replayed.started)?;
        counts.set_item("local", replayed.local)?;
        counts.set_item("waiting", replayed.waiting)?;
        counts.set_item("due", replayed.due)?;
        counts.set_item("in_flight", replayed.in_flight)?;
        counts.set_item("first_start", replayed.first_start)?;
        counts.set_item("last_delivery", replayed.last_delivery)?;
        Ok(counts)
    }
}
