//! A window of time, recorded.

use numpy::{Element, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use ringlet_engine::observe::{PacketView, UNKNOWN};
use ringlet_engine::record::{Change, Event, Fill, LinkRun, Recording, Stay, Transfer};
use ringlet_engine::spec::{NetworkSpec, SpecError};

use crate::{Simulation, guarded};

/// A simulation of which a window is recorded.
#[pyclass(module = "ringlet._engine")]
pub(crate) struct Recorder {
    inner: ringlet_engine::record::Recorder,
    simulation: Simulation,
    /// Cycle from which the recorder sees the simulation.
    seen_from: u64,
    to: u64,
}

/// No packet, no node, no cycle.
const NONE: i64 = -1;

fn number(value: Option<u32>) -> i64 {
    value.map_or(NONE, i64::from)
}

/// Adds a column of a table, a value for each row.
fn column<'py, R, T: Element>(
    table: &Bound<'py, PyDict>,
    name: &str,
    rows: &[R],
    value: impl Fn(&R) -> T,
) -> PyResult<()> {
    table.set_item(name, rows.iter().map(value).collect::<Vec<T>>().to_pyarray(table.py()))
}

fn runs<'py>(py: Python<'py>, rows: &[LinkRun]) -> PyResult<Bound<'py, PyDict>> {
    let table = PyDict::new(py);
    column(&table, "node", rows, |row| row.node)?;
    column(&table, "cycle", rows, |row| row.cycle as i64)?;
    column(&table, "symbols", rows, |row| row.count)?;
    column(&table, "kind", rows, |row| row.kind as u8)?;
    column(&table, "activity", rows, |row| row.activity as u8)?;
    column(&table, "word", rows, |row| row.word)?;
    column(&table, "packet", rows, |row| number(row.packet))?;
    column(&table, "maker", rows, |row| number(row.maker))?;
    column(&table, "to", rows, |row| number(row.target))?;
    Ok(table)
}

fn stays<'py>(py: Python<'py>, rows: &[Stay]) -> PyResult<Bound<'py, PyDict>> {
    let table = PyDict::new(py);
    column(&table, "node", rows, |row| row.node)?;
    column(&table, "cycle", rows, |row| row.cycle as i64)?;
    column(&table, "symbols", rows, |row| row.count)?;
    column(&table, "kind", rows, |row| row.kind as u8)?;
    column(&table, "packet", rows, |row| number(row.packet))?;
    column(&table, "leaves", rows, |row| row.leaves.map_or(NONE, |(cycle, _)| cycle as i64))?;
    column(&table, "leaving_symbols", rows, |row| row.leaves.map_or(0, |(_, count)| count))?;
    column(&table, "replaced", rows, |row| row.replaced.map_or(NONE, |cycle| cycle as i64))?;
    Ok(table)
}

fn packets<'py>(py: Python<'py>, rows: &[PacketView]) -> PyResult<Bound<'py, PyDict>> {
    let table = PyDict::new(py);
    column(&table, "flow", rows, |row| row.flow)?;
    column(&table, "message", rows, |row| row.message)?;
    column(&table, "part", rows, |row| row.part)?;
    column(&table, "response", rows, |row| row.response)?;
    column(&table, "source", rows, |row| number(Some(row.source).filter(|&node| node != UNKNOWN)))?;
    column(&table, "destination", rows, |row| row.destination)?;
    column(&table, "symbols", rows, |row| row.symbols)?;
    column(&table, "priority", rows, |row| row.priority)?;
    column(&table, "group", rows, |row| row.group)?;
    column(&table, "generated", rows, |row| row.generated as i64)?;
    Ok(table)
}

fn changes<'py, T>(py: Python<'py>, rows: &[Change<T>], value: impl Fn(&T) -> i64) -> PyResult<Bound<'py, PyDict>> {
    let table = PyDict::new(py);
    column(&table, "node", rows, |row| row.node)?;
    column(&table, "cycle", rows, |row| row.cycle as i64)?;
    column(&table, "value", rows, |row| value(&row.value))?;
    Ok(table)
}

fn events<'py>(py: Python<'py>, rows: &[Event]) -> PyResult<Bound<'py, PyDict>> {
    let table = PyDict::new(py);
    column(&table, "node", rows, |row| row.node)?;
    column(&table, "cycle", rows, |row| row.cycle as i64)?;
    column(&table, "fate", rows, |row| row.fate as u8)?;
    column(&table, "packet", rows, |row| row.packet)?;
    Ok(table)
}

fn transfers<'py>(py: Python<'py>, rows: &[Transfer]) -> PyResult<Bound<'py, PyDict>> {
    let table = PyDict::new(py);
    column(&table, "switch", rows, |row| row.switch)?;
    column(&table, "link", rows, |row| row.link)?;
    column(&table, "entry", rows, |row| row.entry)?;
    column(&table, "exit", rows, |row| row.exit)?;
    column(&table, "packet", rows, |row| row.packet)?;
    column(&table, "ready_ps", rows, |row| row.ready_ps as i64)?;
    column(&table, "start_ps", rows, |row| row.start_ps as i64)?;
    column(&table, "end_ps", rows, |row| row.end_ps as i64)?;
    Ok(table)
}

fn fills<'py>(py: Python<'py>, rows: &[Fill]) -> PyResult<Bound<'py, PyDict>> {
    let time = |value: Option<u64>| value.map_or(NONE, |value| value as i64);
    let table = PyDict::new(py);
    column(&table, "node", rows, |row| row.node)?;
    column(&table, "packet", rows, |row| row.packet)?;
    column(&table, "taken", rows, |row| time(row.taken))?;
    column(&table, "asked_ps", rows, |row| time(row.asked_ps))?;
    column(&table, "start_ps", rows, |row| time(row.bus_ps.map(|bus| bus.0)))?;
    column(&table, "end_ps", rows, |row| time(row.bus_ps.map(|bus| bus.1)))?;
    column(&table, "ready", rows, |row| time(row.ready))?;
    Ok(table)
}

pub(crate) fn tables<'py>(py: Python<'py>, recording: &Recording) -> PyResult<Bound<'py, PyDict>> {
    let tables = PyDict::new(py);
    tables.set_item("runs", runs(py, &recording.runs)?)?;
    tables.set_item("stays", stays(py, &recording.stays)?)?;
    tables.set_item("packets", packets(py, &recording.packets)?)?;
    tables.set_item("heads", changes(py, &recording.heads, |&head| number(head))?)?;
    tables.set_item("transmit_lengths", changes(py, &recording.transmit_lengths, |&length| length as i64)?)?;
    tables.set_item("receive_lengths", changes(py, &recording.receive_lengths, |&length| length as i64)?)?;
    tables.set_item("withheld", changes(py, &recording.withheld, |&word| word.into())?)?;
    tables.set_item("events", events(py, &recording.events)?)?;
    tables.set_item("transfers", transfers(py, &recording.transfers)?)?;
    tables.set_item("slot_lengths", changes(py, &recording.slot_lengths, |&length| length as i64)?)?;
    tables.set_item("fills", fills(py, &recording.fills)?)?;
    Ok(tables)
}

#[pymethods]
impl Recorder {
    #[new]
    fn new(py: Python<'_>, spec_json: &str, start: u64, stop: u64) -> PyResult<Self> {
        if start >= stop {
            return Err(PyValueError::new_err(format!("stop: {stop} is not allowed; more than start, {start}")));
        }
        let refused = |error: SpecError| PyValueError::new_err(error.to_string());
        let spec = NetworkSpec::from_json(spec_json).map_err(refused)?;
        let lead = ringlet_engine::record::Recorder::lead_cycles_of(&spec).map_err(refused)?;
        Ok(Self {
            inner: ringlet_engine::record::Recorder::new(start, stop),
            seen_from: start.saturating_sub(lead),
            simulation: Simulation::new(py, spec_json, 1, None, Vec::new())?,
            to: stop,
        })
    }

    fn hand_in(&mut self, packets: crate::replay::Packets<'_>, until: u64) -> PyResult<()> {
        self.simulation.take_in(&packets, until)
    }

    fn record<'py>(&mut self, py: Python<'py>) -> PyResult<(Bound<'py, PyDict>, Option<Bound<'py, PyDict>>)> {
        let mut stall = self.simulation.advance(py, self.seen_from)?;
        if stall.is_none() {
            let copy = || self.simulation.inner.recorded(self.inner.clone());
            self.simulation.inner = py.detach(|| guarded("began to record", copy))?;
            stall = self.simulation.advance(py, self.to - self.seen_from)?;
        }
        let recording = py.detach(|| guarded("put the recording in order", || self.inner.finish()))?;
        Ok((tables(py, &recording)?, stall))
    }
}
