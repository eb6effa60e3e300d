//! Python binding of `ringlet-engine`: conversion only. `python/ringlet/_engine.pyi` documents what Python sees.

mod activities;
mod bare;
mod counters;
mod exploration;
mod latencies;
mod recording;
mod replay;
mod run;
mod statistics;
mod stepping;
mod waveform;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use numpy::{PyArray1, PyArray2, ToPyArray};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use ringlet_engine::spec::{NetworkSpec, SpecError};
use ringlet_engine::{Stall, counted_by_protocols};
use ringlet_run::{Extent, Series};

use counters::Counts;
use latencies::{Asked, quantile_table};

#[pyclass(module = "ringlet._engine")]
struct Simulation {
    inner: ringlet_engine::Simulation,
    series: Series,
    extent: Extent,
}

/// Runs engine code; should it ever panic, Python gets an error that says so, not a dead process.
fn guarded<T>(what: &str, call: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|_| panicked(what))
}

/// Loads NumPy, once, in a thread of its own: Python handles signals in the main thread, and one in the midst of that
/// would be a panic, not an interrupt. Called before anything else is made, since all that is found is in arrays.
fn load_numpy(py: Python<'_>) {
    static IS_LOADED: AtomicBool = AtomicBool::new(false);
    if IS_LOADED.swap(true, Ordering::Relaxed) {
        return;
    }
    let load = || Python::attach(|py| drop(PyArray1::<u8>::zeros(py, 0, false)));
    // Without NumPy the first array fails, and says why.
    let _ = py.detach(|| std::thread::spawn(load).join());
}

/// The engine has panicked.
fn panicked(what: &str) -> PyErr {
    PyRuntimeError::new_err(format!("ringlet-engine failed while it {what}: please report this as a bug"))
}

/// A stall, as Python gets it.
fn report(py: Python<'_>, stall: Stall) -> PyResult<Bound<'_, PyDict>> {
    let report = PyDict::new(py);
    report.set_item("since_cycle", stall.since_cycle)?;
    report.set_item("waiting_nodes", stall.waiting_nodes)?;
    report.set_item("detail", stall.detail)?;
    let blocked = stall.blocked.iter().map(|port| (port.switch, port.port, port.exit, port.is_response));
    report.set_item("blocked", blocked.collect::<Vec<_>>())?;
    Ok(report)
}

#[pymethods]
impl Simulation {
    #[new]
    #[pyo3(signature = (spec_json, threads=1, *, seed=None, payloads=Vec::new()))]
    fn new(
        py: Python<'_>,
        spec_json: &str,
        threads: usize,
        seed: Option<u64>,
        payloads: Vec<run::Payload>,
    ) -> PyResult<Self> {
        load_numpy(py);
        let build = || {
            let mut spec = NetworkSpec::parse(spec_json)?;
            spec.seed = seed.unwrap_or(spec.seed);
            let mut inner = ringlet_engine::Simulation::new(&spec)?;
            inner.use_threads(threads);
            Ok::<_, SpecError>(Self { inner, series: run::series(&spec, payloads), extent: Extent::of(&spec) })
        };
        let built = py.detach(|| guarded("built the network", build))?;
        built.map_err(|error| PyValueError::new_err(error.to_string()))
    }

    #[getter]
    fn cycle(&self) -> u64 {
        self.inner.cycle()
    }

    fn advance<'py>(&mut self, py: Python<'py>, cycles: u64) -> PyResult<Option<Bound<'py, PyDict>>> {
        let end = self.inner.cycle().saturating_add(cycles).min(self.inner.known_until());
        let mut attended = run::Attended::new(&mut self.inner, None, None);
        let stall = py.detach(|| attended.advance_to(end))?;
        stall.map(|stall| report(py, stall)).transpose()
    }

    fn run<'py>(&mut self, py: Python<'py>, goal: run::Goal) -> PyResult<Bound<'py, PyDict>> {
        self.run_as(py, goal)
    }

    #[getter]
    fn known_until(&self) -> u64 {
        self.inner.known_until()
    }

    fn hand_in(&mut self, packets: replay::Packets<'_>, until: u64) -> PyResult<()> {
        self.take_in(&packets, until)
    }

    fn replayed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.replay_counts(py)
    }

    fn activity_counters<'py>(&self, py: Python<'py>, kind: &str) -> PyResult<Vec<Bound<'py, PyDict>>> {
        activities::of_activities(py, &self.inner, kind)
    }

    fn message_counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        counters::of_messages(py, &self.inner)
    }

    fn destination_counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        counters::of_destinations(py, &self.inner)
    }

    fn reset_measurement(&mut self) {
        self.inner.reset_measurement();
    }

    fn node_counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        counters::of_nodes(py, &self.inner)
    }

    fn port_counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        counters::of_ports(py, &self.inner)
    }

    fn error_counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        counters::of_errors(py, &self.inner)
    }

    fn link_counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        counters::of_links(py, &self.inner)
    }

    fn flow_counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        counters::of_flows(py, &self.inner)
    }

    fn latency_quantiles<'py>(
        &self,
        py: Python<'py>,
        flow_groups: Vec<Vec<usize>>,
        quantiles: Vec<f64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        quantile_table(py, &flow_groups, &quantiles, |group| self.inner.latencies(group))
    }

    fn message_latency_quantiles<'py>(
        &self,
        py: Python<'py>,
        flow_groups: Vec<Vec<Asked>>,
        quantiles: Vec<f64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let latencies = latencies::OfMessages::new(&self.inner);
        quantile_table(py, &flow_groups, &quantiles, |group| latencies.of(&group))
    }

    fn latency_histogram<'py>(&self, py: Python<'py>, flows: Vec<usize>) -> (Counts<'py>, Counts<'py>) {
        let latencies = self.inner.latencies(flows);
        let bins = latencies.iter_recorded().map(|bin| (bin.value_iterated_to(), bin.count_since_last_iteration()));
        let (edges, counts): (Vec<u64>, Vec<u64>) = bins.unzip();
        (edges.to_pyarray(py), counts.to_pyarray(py))
    }

    fn engine_bytes(&self) -> usize {
        self.inner.bytes()
    }
}

#[pymodule]
fn _engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("SOURCE_DIGEST", ringlet_step::SOURCE_DIGEST)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("PROTOCOL_COUNTS", PyTuple::new(module.py(), counted_by_protocols())?)?;
    module.add_class::<Simulation>()?;
    module.add_class::<bare::BareRing>()?;
    module.add_class::<recording::Recorder>()?;
    module.add_class::<stepping::SavedStepping>()?;
    module.add_class::<stepping::Stepping>()?;
    module.add_class::<exploration::Exploration>()?;
    module.add_function(wrap_pyfunction!(exploration::markov_chain, module)?)?;
    module.add_function(wrap_pyfunction!(statistics::mser5, module)?)?;
    module.add_function(wrap_pyfunction!(statistics::batch_means, module)?)?;
    module.add_function(wrap_pyfunction!(statistics::collapse, module)?)?;
    module.add_function(wrap_pyfunction!(waveform::write_fst, module)?)
}
