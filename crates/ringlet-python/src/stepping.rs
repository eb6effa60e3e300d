//! A simulation that a program steps.

use numpy::{PyArray1, PyArray2, ToPyArray};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use ringlet_engine::injection::InjectedPacket;
use ringlet_engine::spec::SpecError;
use ringlet_step::{DAMAGED, Delivery, LoadError, Quiet, Saved};

use crate::latencies::{Asked, OfMessages, quantile_table};
use crate::{activities, counters, guarded, load_numpy, replay, report, run};

/// A number in place of a cycle that there is not.
const NONE: i64 = -1;

#[pyclass(module = "ringlet._engine")]
pub(crate) struct Stepping {
    inner: ringlet_step::Stepping,
    /// Does it go on from a file?
    is_loaded: bool,
}

impl Stepping {
    fn of(inner: ringlet_step::Stepping, is_loaded: bool) -> Self {
        Self { inner, is_loaded }
    }

    /// The failure of a call.
    fn failed(&self, py: Python<'_>, error: PyErr) -> PyErr {
        if self.is_loaded { damaged(py, error) } else { error }
    }
}

/// The failure of a call behind a file: the engine fails because of it, most likely.
fn damaged(py: Python<'_>, error: PyErr) -> PyErr {
    if error.is_instance_of::<PyRuntimeError>(py) { PyValueError::new_err(DAMAGED) } else { error }
}

fn refused(error: SpecError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

#[pymethods]
impl Stepping {
    #[new]
    fn new(py: Python<'_>, spec_json: &str, threads: usize) -> PyResult<Self> {
        load_numpy(py);
        let build = || {
            let mut inner = ringlet_step::Stepping::from_json(spec_json)?;
            inner.simulation_mut().use_threads(threads);
            Ok::<_, SpecError>(Self::of(inner, false))
        };
        py.detach(|| guarded("built the network", build))?.map_err(refused)
    }

    fn save<'py>(&self, py: Python<'py>, note: &str) -> PyResult<Bound<'py, PyBytes>> {
        let _quiet = Quiet::of(self.is_loaded);
        let saved = py.detach(|| guarded("saved itself", || self.inner.save(note)));
        let saved = saved.map_err(|error| self.failed(py, error))?;
        Ok(PyBytes::new(py, &saved))
    }

    #[getter]
    fn cycle(&self) -> u64 {
        self.inner.simulation().cycle()
    }

    #[getter]
    fn known_until(&self) -> u64 {
        self.inner.simulation().known_until()
    }

    #[getter]
    fn handed_in(&self) -> u32 {
        self.inner.simulation().handed_in()
    }

    #[getter]
    fn under_way(&self) -> usize {
        self.inner.under_way()
    }

    fn hand_in(&mut self, packets: replay::Packets<'_>, until: u64) -> PyResult<()> {
        packets.hand_in(self.inner.simulation_mut(), until)
    }

    #[expect(clippy::too_many_arguments, reason = "the fields of a packet")]
    fn inject(
        &mut self,
        py: Python<'_>,
        cycle: u64,
        source: u32,
        destination: u32,
        symbols: u32,
        response_symbols: Option<u32>,
        priority: u8,
        group: Option<u8>,
    ) -> PyResult<u32> {
        let packet = InjectedPacket { cycle, source, destination, symbols, response_symbols, priority, group };
        let _quiet = Quiet::of(self.is_loaded);
        let taken = guarded("took a packet in", || self.inner.inject(&packet));
        taken.map_err(|error| self.failed(py, error))?.map_err(refused)
    }

    fn set_group(&mut self, node: u32, group: u8) -> PyResult<()> {
        self.inner.simulation_mut().set_group(node, group).map_err(refused)
    }

    fn advance_to<'py>(
        &mut self,
        py: Python<'py>,
        cycle: u64,
        most_bytes: usize,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let _quiet = Quiet::of(self.is_loaded);
        let simulation = self.inner.simulation_mut();
        let end = cycle.min(simulation.known_until());
        let mut attended = run::Attended::new(simulation, None, Some(most_bytes));
        let stall = py.detach(|| attended.advance_to(end)).map_err(|error| self.failed(py, error))?;
        stall.map(|stall| report(py, stall)).transpose()
    }

    fn deliveries<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let _quiet = Quiet::of(self.is_loaded);
        let rows = guarded("read what arrived", || self.inner.deliveries());
        let rows = rows.map_err(|error| self.failed(py, error))?;
        let table = PyDict::new(py);
        table.set_item("packet", column(py, &rows, |row| row.packet))?;
        table.set_item("source", column(py, &rows, |row| row.source))?;
        table.set_item("destination", column(py, &rows, |row| row.destination))?;
        table.set_item("response", column(py, &rows, |row| row.response))?;
        table.set_item("lost", column(py, &rows, |row| row.lost))?;
        table.set_item("retries", column(py, &rows, |row| row.retries))?;
        table.set_item("generated_cycle", column(py, &rows, |row| row.generated as i64))?;
        table.set_item("sent_cycle", column(py, &rows, |row| row.sent.map_or(NONE, |cycle| cycle as i64)))?;
        table.set_item("ended_cycle", column(py, &rows, |row| row.ended as i64))?;
        Ok(table)
    }

    fn reset_measurement(&mut self) {
        self.inner.simulation_mut().reset_measurement();
    }

    fn node_counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        counters::of_nodes(py, self.inner.simulation())
    }

    fn flow_counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        counters::of_flows(py, self.inner.simulation())
    }

    fn port_counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        counters::of_ports(py, self.inner.simulation())
    }

    fn error_counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        counters::of_errors(py, self.inner.simulation())
    }

    fn link_counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        counters::of_links(py, self.inner.simulation())
    }

    fn message_counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        counters::of_messages(py, self.inner.simulation())
    }

    fn destination_counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        counters::of_destinations(py, self.inner.simulation())
    }

    fn message_latency_quantiles<'py>(
        &self,
        py: Python<'py>,
        flow_groups: Vec<Vec<Asked>>,
        quantiles: Vec<f64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let latencies = OfMessages::new(self.inner.simulation());
        quantile_table(py, &flow_groups, &quantiles, |group| latencies.of(&group))
    }

    fn activity_counters<'py>(&self, py: Python<'py>, kind: &str) -> PyResult<Vec<Bound<'py, PyDict>>> {
        activities::of_activities(py, self.inner.simulation(), kind)
    }

    fn fork(&self, py: Python<'_>, threads: usize) -> PyResult<Self> {
        let _quiet = Quiet::of(self.is_loaded);
        let copied = guarded("copied itself", || {
            let mut inner = self.inner.fork();
            inner.simulation_mut().use_threads(threads);
            Self::of(inner, self.is_loaded)
        });
        copied.map_err(|error| self.failed(py, error))
    }
}

/// A value of each row.
fn column<'py, T: numpy::Element>(
    py: Python<'py>,
    rows: &[Delivery],
    value: fn(&Delivery) -> T,
) -> Bound<'py, PyArray1<T>> {
    rows.iter().map(value).collect::<Vec<T>>().to_pyarray(py)
}

/// A saved simulation that has been read, with its note.
#[pyclass(module = "ringlet._engine")]
pub(crate) struct SavedStepping {
    saved: Option<Saved>,
}

fn not_loaded(error: LoadError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

#[pymethods]
impl SavedStepping {
    #[new]
    fn new(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        let _quiet = Quiet::of(true);
        let saved = guarded("read a saved simulation", || Saved::read(bytes));
        let saved = saved.map_err(|error| damaged(py, error))?.map_err(not_loaded)?;
        Ok(Self { saved: Some(saved) })
    }

    #[getter]
    fn note(&self) -> Option<&str> {
        self.saved.as_ref().map(|saved| &*saved.note)
    }

    /// Builds it, once.
    fn build(&mut self, py: Python<'_>, spec_json: &str, threads: usize) -> PyResult<Stepping> {
        let saved = self.saved.take().ok_or_else(|| PyValueError::new_err("it was built before"))?;
        load_numpy(py);
        let build = || {
            let mut inner = saved.build(spec_json)?;
            inner.simulation_mut().use_threads(threads);
            Ok::<_, LoadError>(Stepping::of(inner, true))
        };
        let _quiet = Quiet::of(true);
        let built = py.detach(|| guarded("loaded a simulation", build));
        built.map_err(|error| damaged(py, error))?.map_err(not_loaded)
    }
}
