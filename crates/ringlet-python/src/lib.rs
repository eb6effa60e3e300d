//! Python binding of `ringlet-engine`: conversion only. `python/ringlet/_engine.pyi` documents what Python sees.

mod events;
mod exploration;
mod recording;
mod replay;
mod run;
mod statistics;
mod waveform;

use std::borrow::Borrow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use numpy::{PyArray1, PyArray2, PyArrayMethods, ToPyArray};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use ringlet_engine::measure::{ErrorCounters, FlowCounters, HostCounts, LinkCounters, NodeCounters, PortCounters};
use ringlet_engine::spec::{NetworkSpec, SpecError};
use ringlet_engine::{Histogram, Stall, counted_by_protocols};
use ringlet_run::{Extent, Series};

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

/// The engine has panicked.
fn panicked(what: &str) -> PyErr {
    PyRuntimeError::new_err(format!("ringlet-engine failed while it {what}: please report this as a bug"))
}

/// An array of counts.
type Counts<'py> = Bound<'py, PyArray1<u64>>;

/// A counter's name and how to read it.
type Column<C> = (&'static str, fn(&C) -> u64);

/// Errors at an interface.
const ERROR_COLUMNS: &[Column<ErrorCounters>] = &[
    ("lost_sends", |c| c.lost_sends),
    ("lost_echoes", |c| c.lost_echoes),
    ("timeouts", |c| c.timeouts),
    ("given_up_packets", |c| c.given_up_packets),
    ("first_timeout_cycle", |c| c.first_timeout_cycle),
    ("first_given_up_cycle", |c| c.first_given_up_cycle),
    ("first_failure_cycle", |c| c.first_failure_cycle),
];

/// What every interface of a ring counts.
const INTERFACE_COLUMNS: &[Column<NodeCounters>] = &[
    ("link_send_symbols", |c| c.link_send_symbols),
    ("link_retry_symbols", |c| c.link_retry_symbols),
    ("link_echo_symbols", |c| c.link_echo_symbols),
    ("link_control_symbols", |c| c.link_control_symbols),
    ("link_idle_symbols", |c| c.link_idle_symbols),
    ("transmit_queue_packet_cycles", |c| c.transmit_queue_packet_cycles),
    ("transmit_queue_max", |c| c.transmit_queue_max),
    ("receive_queue_packet_cycles", |c| c.receive_queue_packet_cycles),
    ("receive_queue_max", |c| c.receive_queue_max),
    ("bypass_max_symbols", |c| c.bypass_max_symbols),
    ("refused_packets", |c| c.refused_packets),
];

/// What Python sees of a stall.
fn report(py: Python<'_>, stall: Stall) -> PyResult<Bound<'_, PyDict>> {
    let report = PyDict::new(py);
    report.set_item("since_cycle", stall.since_cycle)?;
    report.set_item("waiting_nodes", stall.waiting_nodes)?;
    report.set_item("detail", stall.detail)?;
    let blocked = stall.blocked.iter().map(|port| (port.switch, port.port, port.exit, port.is_response));
    report.set_item("blocked", blocked.collect::<Vec<_>>())?;
    Ok(report)
}

fn columns<'py, C>(py: Python<'py>, counters: &[impl Borrow<C>], fields: &[Column<C>]) -> PyResult<Bound<'py, PyDict>> {
    let table = PyDict::new(py);
    for (name, field) in fields {
        let column: Vec<u64> = counters.iter().map(|counter| field(counter.borrow())).collect();
        table.set_item(name, column.to_pyarray(py))?;
    }
    Ok(table)
}

/// What interfaces count, and what any protocol has them count: 0 where the network's does not.
fn interface_columns<'py>(py: Python<'py>, counters: &[NodeCounters]) -> PyResult<Bound<'py, PyDict>> {
    let table = columns(py, counters, INTERFACE_COLUMNS)?;
    for (name, _) in counted_by_protocols() {
        let column: Vec<u64> = counters.iter().map(|counter| counter.of_protocol(name)).collect();
        table.set_item(name, column.to_pyarray(py))?;
    }
    Ok(table)
}

/// Quantiles of each group's latencies, one row per group.
fn quantile_table<'py>(
    py: Python<'py>,
    flow_groups: &[Vec<usize>],
    quantiles: &[f64],
    latencies: impl Fn(Vec<usize>) -> Histogram<u32>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    if let Some(wrong) = quantiles.iter().find(|q| !(0.0..=1.0).contains(*q)) {
        return Err(PyValueError::new_err(format!("quantiles: {wrong} is not allowed; 0 to 1")));
    }
    let values: Vec<f64> = flow_groups
        .iter()
        .flat_map(|group| {
            let latencies = latencies(group.clone());
            let value =
                move |&q: &f64| if latencies.is_empty() { f64::NAN } else { latencies.value_at_quantile(q) as f64 };
            quantiles.iter().map(value).collect::<Vec<_>>()
        })
        .collect();
    PyArray1::from_vec(py, values).reshape([flow_groups.len(), quantiles.len()])
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
        let build = || {
            let mut spec = NetworkSpec::from_json(spec_json)?;
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

    fn event_counters<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.event_counts(py)
    }

    fn reset_measurement(&mut self) {
        self.inner.reset_measurement();
    }

    fn node_counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        interface_columns(py, &self.inner.node_counters())
    }

    fn port_counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counters = self.inner.port_counters();
        let fields: &[Column<PortCounters>] = &[
            ("switch", |c| c.switch.into()),
            ("port", |c| c.port.into()),
            ("link", |c| c.link.into()),
            ("ring", |c| c.ring.into()),
            ("place", |c| c.place.into()),
            ("sent_packets", |c| c.sent_packets),
            ("retries", |c| c.retries),
            ("accepted_packets", |c| c.accepted_packets),
            ("output_inversions", |c| c.output_inversions.packets),
            ("output_inversion_cycles", |c| c.output_inversions.cycles),
            ("input_inversions", |c| c.input_inversions.packets),
            ("input_inversion_cycles", |c| c.input_inversions.cycles),
        ];
        let table = columns(py, &counters, fields)?;
        let interfaces: Vec<NodeCounters> = counters.iter().map(|port| port.interface.clone()).collect();
        table.update(interface_columns(py, &interfaces)?.as_mapping())?;
        let errors: Vec<ErrorCounters> = counters.iter().map(|port| port.errors).collect();
        table.update(columns(py, &errors, ERROR_COLUMNS)?.as_mapping())?;
        Ok(table)
    }

    fn error_counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        columns(py, &self.inner.error_counters(), ERROR_COLUMNS)
    }

    fn link_counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let fields: &[Column<LinkCounters>] = &[
            ("switch", |c| c.switch.into()),
            ("link", |c| c.link.into()),
            ("packets", |c| c.packets),
            ("busy_ps", |c| c.busy_ps),
            ("inverted_packets", |c| c.inverted_packets),
            ("inverted_ps", |c| c.inverted_ps),
        ];
        columns(py, &self.inner.link_counters(), fields)
    }

    fn flow_counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let fields: &[Column<FlowCounters>] = &[
            ("generated_packets", |c| c.generated_packets),
            ("lost_packets", |c| c.lost_packets),
            ("sent_packets", |c| c.sent_packets),
            ("retries", |c| c.retries),
            ("retry_symbols", |c| c.retry_symbols),
            ("delivered_packets", |c| c.delivered_packets),
            ("delivered_symbols", |c| c.delivered_symbols),
            ("latency_sum_cycles", |c| c.latency_sum_cycles),
            ("latency_min_cycles", |c| c.latency_min_cycles),
            ("latency_max_cycles", |c| c.latency_max_cycles),
        ];
        let table = columns(py, &self.inner.flow_counters(), fields)?;
        let hosts: Vec<HostCounts> = self.inner.flow_counters().into_iter().map(FlowCounters::host).collect();
        let fields: &[Column<HostCounts>] = &[
            ("delivered_responses", |c| c.delivered_responses),
            ("response_latency_sum_cycles", |c| c.response_latency_sum_cycles),
            ("completed_messages", |c| c.completed_messages),
            ("given_up_packets", |c| c.given_up_packets),
            ("message_latency_sum_cycles", |c| c.message_latency_sum_cycles),
            ("message_latency_min_cycles", |c| c.message_latency_min_cycles),
            ("message_latency_max_cycles", |c| c.message_latency_max_cycles),
            ("missed_deadlines", |c| c.missed_deadlines),
            ("output_inversions", |c| c.output_inversions.packets),
            ("output_inversion_cycles", |c| c.output_inversions.cycles),
            ("output_inversion_max_cycles", |c| c.output_inversions.max_cycles),
            ("input_inversions", |c| c.input_inversions.packets),
            ("input_inversion_cycles", |c| c.input_inversions.cycles),
            ("input_inversion_max_cycles", |c| c.input_inversions.max_cycles),
        ];
        table.update(columns(py, &hosts, fields)?.as_mapping())?;
        Ok(table)
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
        flow_groups: Vec<Vec<usize>>,
        quantiles: Vec<f64>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        quantile_table(py, &flow_groups, &quantiles, |group| self.inner.message_latencies(group))
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
    module.add("SOURCE_DIGEST", env!("RINGLET_SOURCE_DIGEST"))?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("PROTOCOL_COUNTS", PyTuple::new(module.py(), counted_by_protocols())?)?;
    module.add_class::<Simulation>()?;
    module.add_class::<recording::Recorder>()?;
    module.add_class::<exploration::Exploration>()?;
    module.add_function(wrap_pyfunction!(statistics::mser5, module)?)?;
    module.add_function(wrap_pyfunction!(statistics::batch_means, module)?)?;
    module.add_function(wrap_pyfunction!(statistics::collapse, module)?)?;
    module.add_function(wrap_pyfunction!(waveform::write_fst, module)?)
}
