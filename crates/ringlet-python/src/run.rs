//! A whole run in one call: the interpreter's lock is taken only to check for signals, and for packets of a trace.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use numpy::{PyArray1, PyArrayMethods, ToPyArray};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyDict, PyList};
use ringlet_engine::measure::NodeCounters;
use ringlet_engine::observe::Delivered;
use ringlet_engine::spec::{MAX_CYCLES, NetworkSpec};
use ringlet_engine::{Histogram, Stall, counted_by_protocols};
use ringlet_run::figures::{Inverted, Latency, SeriesFigures};
use ringlet_run::{
    Batches, Completed, Driven, Figures, Plan, Recurrence, Requests, Series, Served, Service, Simulator, drive, service,
};

use crate::counters::INTERFACE_COLUMNS;
use crate::{Simulation, guarded, panicked, replay, report};

/// Node-cycles between two looks at signals and memory, after which kept deliveries are counted, too. They take some
/// milliseconds on a ring, and a fifth of a second in the slowest networks.
const NODE_CYCLES_BETWEEN_SIGNALS: u64 = 1_000_000;

/// Cycles between two such looks at least: all rings of a network come to one cycle for each, which takes as long as
/// some tens of cycles where a network is larger than the cache.
const LEAST_CYCLES_BETWEEN_SIGNALS: u64 = 64;

/// Time between two such looks below which the next one is twice as far away: on long links cycles cost next to
/// nothing, and every piece a visit of each node.
const SHORT: Duration = Duration::from_millis(2);

/// Times [`NODE_CYCLES_BETWEEN_SIGNALS`] at most between two such looks: some tenths of a second where links that were
/// idle become busy.
const MOST_STRETCH: u64 = 16;

/// Short looks for one at the memory, which goes to every node, too.
const SHORT_LOOKS: u64 = 8;

/// The part of a flow that counts as data.
#[derive(FromPyObject)]
pub(crate) struct Payload {
    bytes_each: Option<f64>,
    in_response: bool,
}

/// The series of a network; flows without a payload have all their bytes as data.
pub(crate) fn series(spec: &NetworkSpec, payloads: Vec<Payload>) -> Series {
    let given = payloads.into_iter();
    let mut payloads: Vec<_> =
        given.map(|Payload { bytes_each, in_response }| ringlet_run::Payload { bytes_each, in_response }).collect();
    payloads.resize(spec.flows.len().max(payloads.len()), ringlet_run::Payload::default());
    Series::new(spec, &payloads)
}

/// The end of a run, and the callback that hands in the trace.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Goal {
    warm_up: Option<u64>,
    measured: Option<u64>,
    precision: Option<f64>,
    feed: Option<Py<PyAny>>,
    last_cycle: Option<u64>,
    until_over: bool,
    most: Option<u64>,
    most_bytes: Option<usize>,
    /// Failures: the cycle of each, and the pairs of nodes that it concerns, if they are known (see
    /// [`service::Failure`]).
    failures: Vec<(u64, Option<PyBackedBytes>)>,
}

/// A simulation that checks for signals, and gets the packets of a trace, while it advances.
pub(crate) struct Attended<'a> {
    inner: &'a mut ringlet_engine::Simulation,
    feed: Option<Py<PyAny>>,
    /// Most bytes that the simulation may hold.
    most_bytes: Option<usize>,
    /// Node-cycles since the last check for signals.
    unattended: u64,
    /// Time of the last such check.
    attended_at: Instant,
    /// Times [`NODE_CYCLES_BETWEEN_SIGNALS`] between two of them, of late.
    stretch: u64,
    /// Looks without one at the memory.
    looks: u64,
    /// Time that was not the simulation's.
    elsewhere: Duration,
    /// Are deliveries kept?
    keeps: bool,
    /// Data delivered in bins of time, if parts fail, and the series that say what counts as data.
    service: Option<(Service, &'a Series)>,
}

impl<'a> Attended<'a> {
    pub(crate) fn new(
        inner: &'a mut ringlet_engine::Simulation,
        feed: Option<Py<PyAny>>,
        most_bytes: Option<usize>,
    ) -> Self {
        Self {
            inner,
            feed,
            most_bytes,
            unattended: 0,
            attended_at: Instant::now(),
            stretch: 1,
            looks: 0,
            elsewhere: Duration::ZERO,
            keeps: false,
            service: None,
        }
    }

    /// Counts what is delivered from here on.
    fn with_service(mut self, failures: Vec<service::Failure>, series: &'a Series) -> Self {
        self.keep_deliveries();
        self.service = Some((Service::new(failures, self.inner.nodes()), series));
        self
    }

    /// Goes on to a cycle, or as far as it is known what happens, or to a stall.
    pub(crate) fn advance_to(&mut self, end: u64) -> PyResult<Option<Stall>> {
        self.advance_in_pieces(end, &mut |_| ())
    }

    /// Goes on as [`Self::advance_to`] does; `each` sees what is delivered, where that is kept.
    fn advance_in_pieces(&mut self, end: u64, each: &mut dyn FnMut(&Delivered)) -> PyResult<Option<Stall>> {
        let nodes = u64::from(self.inner.nodes()).max(1);
        let mut stall = None;
        while self.inner.cycle() < end && stall.is_none() {
            let before = self.inner.cycle();
            let between = (self.stretch * NODE_CYCLES_BETWEEN_SIGNALS).max(nodes * LEAST_CYCLES_BETWEEN_SIGNALS);
            // In pieces, so that Ctrl-C is seen; results do not depend on them. Idle time costs none.
            let piece = (between.saturating_sub(self.unattended) / nodes).max(1);
            let step = self.inner.quiet_until().saturating_add(piece).min(end) - before;
            let advance = || self.inner.advance(step);
            stall = catch_unwind(AssertUnwindSafe(advance)).map_err(|_| panicked("simulated"))?;
            if self.keeps {
                for delivered in self.inner.take_deliveries() {
                    each(&delivered);
                    self.service.iter_mut().for_each(|(service, series)| service.count(&delivered, series));
                }
            }
            let passed = self.inner.cycle() - before;
            if passed == 0 {
                // A network ends earlier than a ring, since it counts picoseconds.
                break;
            }
            self.unattended = self.unattended.saturating_add(passed.saturating_mul(nodes));
            if self.unattended >= between {
                self.unattended = 0;
                let now = Instant::now();
                let is_short = now.duration_since(self.attended_at) < SHORT;
                self.stretch = if is_short { MOST_STRETCH.min(2 * self.stretch) } else { (self.stretch / 2).max(1) };
                self.attended_at = now;
                Python::attach(|py| py.check_signals())?;
                self.looks = if is_short { self.looks + 1 } else { SHORT_LOOKS };
                if self.looks >= SHORT_LOOKS {
                    self.looks = 0;
                    self.check_memory()?;
                }
            }
        }
        Ok(stall)
    }

    /// Simulates so many more cycles, and gets the packets of a trace meanwhile.
    fn advance_known(&mut self, cycles: u64, each: &mut dyn FnMut(&Delivered)) -> PyResult<Option<Stall>> {
        let end = self.inner.cycle().saturating_add(cycles).min(MAX_CYCLES);
        while self.inner.cycle() < end {
            if self.inner.known_until() <= self.inner.cycle() {
                self.get_packets()?;
                continue;
            }
            let before = self.inner.cycle();
            let stall = self.advance_in_pieces(end.min(self.inner.known_until()), each)?;
            if stall.is_some() || self.inner.cycle() == before {
                return Ok(stall);
            }
        }
        Ok(None)
    }

    fn keep_deliveries(&mut self) {
        if !self.keeps {
            self.inner.keep_deliveries();
            self.keeps = true;
        }
    }

    /// Keeps deliveries no longer, unless they are counted.
    fn drop_deliveries(&mut self) {
        if self.keeps && self.service.is_none() {
            self.inner.drop_deliveries();
            self.keeps = false;
        }
    }

    fn check_memory(&self) -> PyResult<()> {
        match self.most_bytes {
            Some(most) if self.inner.bytes() > most => {
                let cycle = self.inner.cycle();
                Err(PyMemoryError::new_err(format!("more than {most} bytes at cycle {cycle}")))
            }
            _ => Ok(()),
        }
    }

    /// Gets further packets of the trace.
    fn get_packets(&mut self) -> PyResult<()> {
        let Some(feed) = &self.feed else {
            return Err(PyValueError::new_err("feed: none is not allowed; a trace is handed in by one"));
        };
        let start = Instant::now();
        Python::attach(|py| {
            let (packets, until): (replay::Packets<'_>, u64) = feed.call_method0(py, "piece")?.extract(py)?;
            packets.hand_in(self.inner, until)?;
            py.check_signals()
        })?;
        self.elsewhere += start.elapsed();
        Ok(())
    }
}

impl Simulator for Attended<'_> {
    type Interrupt = PyErr;

    fn cycle(&self) -> u64 {
        self.inner.cycle()
    }

    fn advance(&mut self, cycles: u64) -> PyResult<Option<Stall>> {
        self.drop_deliveries();
        self.advance_known(cycles, &mut |_| ())
    }

    fn engine(&mut self) -> Option<&mut ringlet_engine::Simulation> {
        Some(self.inner)
    }

    fn advance_seen(&mut self, cycles: u64, each: &mut impl FnMut(&Delivered)) -> PyResult<Option<Stall>> {
        self.keep_deliveries();
        self.advance_known(cycles, each)
    }

    fn reset_measurement(&mut self) {
        self.inner.reset_measurement();
        self.drop_deliveries();
    }

    fn served(&self) -> impl Iterator<Item = Served> {
        self.inner.flow_counters().into_iter().map(Served::from)
    }

    fn latencies(&self) -> Histogram<u32> {
        self.inner.latencies(0..self.inner.flow_counters().len())
    }

    fn completed(&self) -> impl Iterator<Item = Completed> {
        self.inner.flow_counters().into_iter().map(Completed::from)
    }

    fn requests(&self) -> impl Iterator<Item = Requests> {
        self.inner.flow_counters().into_iter().map(Requests::from)
    }

    fn is_over(&self) -> bool {
        self.inner.is_complete().unwrap_or_else(|| {
            let replayed = self.inner.replayed();
            replayed.due == 0 && replayed.in_flight == 0
        })
    }
}

/// A figure's name and how to read it.
type Figure<F, T> = (&'static str, fn(&F) -> T);

const COUNTS: &[Figure<SeriesFigures, u64>] = &[
    ("flows", |it| it.flows),
    ("sent_packets", |it| it.sent_packets),
    ("delivered_packets", |it| it.delivered_packets),
    ("lost_packets", |it| it.lost_packets),
    ("given_up_packets", |it| it.given_up_packets),
    ("timed_out_requests", |it| it.timed_out_requests),
    ("unanswered_requests", |it| it.unanswered_requests),
    ("late_responses", |it| it.late_responses),
    ("waiting_responses", |it| it.waiting_responses),
    ("first_try_packets", |it| it.first_try_packets),
    ("retries", |it| it.retries),
];

const AMOUNTS: &[Figure<SeriesFigures, f64>] = &[
    ("offered_bytes", |it| it.offered_bytes),
    ("payload_symbols", |it| it.payload_symbols),
    ("packet_symbols", |it| it.packet_symbols),
    ("lost_bytes", |it| it.lost_bytes),
    ("given_up_bytes", |it| it.given_up_bytes),
    ("retry_bytes", |it| it.retry_bytes),
];

const HALF_WIDTHS: &[Figure<SeriesFigures, f64>] = &[
    ("throughput_half_width", |it| it.throughput.half_width),
    ("latency_half_width", |it| it.mean_latency.half_width),
    ("request_latency_mean", |it| it.request_latency_mean),
    ("response_latency_mean", |it| it.response_latency_mean),
];

const LATENCIES: &[Figure<Latency, f64>] = &[
    ("mean", |it| it.mean),
    ("min", |it| it.min),
    ("max", |it| it.max),
    ("p50", |it| it.quantiles[0]),
    ("p95", |it| it.quantiles[1]),
    ("p99", |it| it.quantiles[2]),
];

const INVERSIONS: &[Figure<Inverted, u64>] =
    &[("packets", |it| it.packets), ("cycles", |it| it.cycles), ("max_cycles", |it| it.max_cycles)];

/// `None` where there is no number.
fn known(value: f64) -> Option<f64> {
    Some(value).filter(|value| value.is_finite())
}

/// Lists of a figure each, a value for each row.
fn lists<'py, F, T: IntoPyObject<'py>>(
    py: Python<'py>,
    rows: impl Iterator<Item = F> + Clone,
    figures: &[Figure<F, T>],
) -> PyResult<Bound<'py, PyDict>> {
    let table = PyDict::new(py);
    for (name, figure) in figures {
        table.set_item(name, PyList::new(py, rows.clone().map(|row| figure(&row)).collect::<Vec<_>>())?)?;
    }
    Ok(table)
}

/// The counters of nodes, with those of any protocol.
fn node_counters<'py>(py: Python<'py>, counters: &[NodeCounters]) -> PyResult<Bound<'py, PyDict>> {
    let table = lists(py, counters.iter().cloned(), INTERFACE_COLUMNS)?;
    for (name, _) in counted_by_protocols() {
        table.set_item(name, counters.iter().map(|counter| counter.of_protocol(name)).collect::<Vec<_>>())?;
    }
    Ok(table)
}

/// The figures of all series by name, a list each.
fn series_table<'py>(py: Python<'py>, rows: &[SeriesFigures]) -> PyResult<Bound<'py, PyDict>> {
    let all = rows.iter().copied();
    let table = lists(py, all.clone(), COUNTS)?;
    table.update(lists(py, all.clone(), AMOUNTS)?.as_mapping())?;
    for (name, figure) in HALF_WIDTHS {
        table.set_item(name, rows.iter().map(|row| known(figure(row))).collect::<Vec<_>>())?;
    }
    let latencies = |of: fn(&SeriesFigures) -> Latency| {
        let latencies = PyDict::new(py);
        for (name, value) in LATENCIES {
            latencies.set_item(name, rows.iter().map(|row| known(value(&of(row)))).collect::<Vec<_>>())?;
        }
        Ok::<_, PyErr>(latencies)
    };
    table.set_item("latency", latencies(|it| it.latency)?)?;
    table.set_item("message_latency", latencies(|it| it.message_latency)?)?;
    table.set_item("output_inversions", lists(py, all.clone().map(|it| it.output_inversions), INVERSIONS)?)?;
    table.set_item("input_inversions", lists(py, all.map(|it| it.input_inversions), INVERSIONS)?)?;
    Ok(table)
}

/// The statistical certainty of the total.
fn certainty<'py>(py: Python<'py>, total: &SeriesFigures) -> PyResult<Bound<'py, PyDict>> {
    let both = PyDict::new(py);
    for (name, interval) in [("throughput", total.throughput), ("latency", total.mean_latency)] {
        let found = PyDict::new(py);
        found.set_item("relative_half_width", known(interval.relative_half_width()))?;
        found.set_item("lag1", interval.lag1)?;
        found.set_item("correlated", interval.correlated)?;
        both.set_item(name, found)?;
    }
    Ok(both)
}

/// Counts per batch: arrays of shape (series, batches).
fn batch_table<'py>(py: Python<'py>, batches: &Batches, series: usize) -> PyResult<Bound<'py, PyDict>> {
    let table = PyDict::new(py);
    table.set_item("cycles", batches.cycles.to_pyarray(py))?;
    let add = |name, column: fn(&Batches, usize) -> &[f64]| {
        let values = (0..series).flat_map(|k| column(batches, k)).copied().collect();
        table.set_item(name, PyArray1::from_vec(py, values).reshape([series, batches.cycles.len()])?)
    };
    add("payload_symbols", Batches::payload_symbols)?;
    add("delivered_packets", Batches::delivered_packets)?;
    add("latency_cycles", Batches::latency_cycles)?;
    Ok(table)
}

/// Words of data delivered in each bin of time, and the cycle in which each failure's pairs were served again.
fn service_table<'py>(py: Python<'py>, service: &Service) -> PyResult<Bound<'py, PyDict>> {
    let table = PyDict::new(py);
    table.set_item("bin_cycles", service.bin_cycles)?;
    table.set_item("words", service.words.to_pyarray(py))?;
    let first: Vec<Option<u64>> = service.failures.iter().map(|failure| failure.first_delivery).collect();
    table.set_item("first_deliveries", first)?;
    Ok(table)
}

impl Simulation {
    pub(crate) fn run_as<'py>(&mut self, py: Python<'py>, goal: Goal) -> PyResult<Bound<'py, PyDict>> {
        let Goal { warm_up, measured, precision, feed, last_cycle, until_over, most, most_bytes, failures } = goal;
        if self.inner.cycle() != 0 {
            return Err(PyValueError::new_err("run: a simulation that has begun is not allowed; one at cycle 0"));
        }
        let goal = ringlet_run::Goal { warm_up, measured, precision, last_cycle, until_over, most };
        let plan = Plan::new(self.extent, goal);
        let series = &self.series;
        let mut attended = Attended::new(&mut self.inner, feed, most_bytes);
        if !failures.is_empty() {
            let failure = |(cycle, affected): (u64, Option<PyBackedBytes>)| service::Failure {
                cycle,
                affected: affected.map_or_else(Vec::new, |bits| bits.to_vec()),
                first_delivery: None,
            };
            attended = attended.with_service(failures.into_iter().map(failure).collect(), series);
        }
        let (driven, seconds) = py.detach(|| {
            let start = Instant::now();
            let driven = drive(&mut attended, series, &plan)?;
            Ok::<_, PyErr>((driven, (start.elapsed() - attended.elsewhere).as_secs_f64()))
        })?;
        let service = attended.service.take().map(|(service, _)| service);
        let cycles = self.inner.cycle() - driven.measured_from;
        let inner = &self.inner;
        let read = || guarded("read its counters", || Figures::new(inner, series, &driven.batches, cycles));
        let figures = py.detach(read)?;
        let found = self.found(py, &driven, &figures)?;
        let exact = driven.recurrence.map(|recurrence| self.exact(py, recurrence)).transpose()?;
        found.set_item("exact", exact)?;
        found.set_item("seconds", seconds)?;
        found.set_item("service", service.map(|service| service_table(py, &service)).transpose()?)?;
        found.set_item("stall", driven.stall.map(|stall| report(py, stall)).transpose()?)?;
        Ok(found)
    }

    /// Pairs of a number of retries and how many packets of these flows were accepted after so many;
    /// `first_try_packets` after none.
    fn retry_histogram(&self, flows: &[usize], first_try_packets: u64) -> Vec<(u64, u64)> {
        let again = self.inner.retries(flows.iter().copied());
        let bins = again.iter_recorded().map(|bin| (bin.value_iterated_to(), bin.count_since_last_iteration()));
        std::iter::once((0, first_try_packets)).chain(bins).filter(|&(_, packets)| packets > 0).collect()
    }

    fn found<'py>(&self, py: Python<'py>, driven: &Driven, figures: &Figures) -> PyResult<Bound<'py, PyDict>> {
        let found = self.measured(py, figures)?;
        found.set_item("cycle", self.inner.cycle())?;
        found.set_item("measured_from", driven.measured_from)?;
        found.set_item("settled", driven.settled)?;
        found.set_item("precision_reached", driven.precision_reached)?;
        found.set_item("growing", driven.growing)?;
        found.set_item("batches", batch_table(py, &driven.batches, self.series.count())?)?;
        let completed = &driven.completed_before;
        let before: Vec<(u64, u64)> = completed.iter().map(|before| (before.messages, before.late)).collect();
        found.set_item("completed_before", before)?;
        Ok(found)
    }

    /// The period that repeats, as a simulation that has counted it, and its figures.
    fn exact<'py>(&self, py: Python<'py>, recurrence: Recurrence) -> PyResult<Bound<'py, PyDict>> {
        let Recurrence { transient_cycles, period_cycles, period } = recurrence;
        let figures = Figures::new(&period, &self.series, &Batches::none(&self.series), period_cycles);
        let period = Self { inner: period, series: self.series.clone(), extent: self.extent };
        let measured = period.measured(py, &figures)?;
        measured.set_item("measured_from", 0)?;
        measured.set_item("cycle", period_cycles)?;
        let exact = PyDict::new(py);
        exact.set_item("transient_cycles", transient_cycles)?;
        exact.set_item("period_cycles", period_cycles)?;
        exact.set_item("measured", measured)?;
        exact.set_item("period", Py::new(py, period)?)?;
        Ok(exact)
    }

    /// Counts since the last reset, with their figures.
    fn measured<'py>(&self, py: Python<'py>, figures: &Figures) -> PyResult<Bound<'py, PyDict>> {
        let (inner, series) = (&self.inner, &self.series);
        let found = PyDict::new(py);
        found.set_item("nodes", series.nodes())?;
        found.set_item("priorities", PyList::new(py, series.priorities())?)?;
        found.set_item("series", series_table(py, &figures.series)?)?;
        found.set_item("certainty", certainty(py, figures.series.last().expect("there is always a total"))?)?;
        found.set_item("fairness", figures.fairness)?;
        found.set_item("latency_p99_interval", figures.p99)?;
        found.set_item("generated_packets", figures.generated_packets)?;
        found.set_item("settled_packets", figures.settled_packets)?;
        found.set_item("unsaturated_nodes", figures.unsaturated_nodes)?;
        found.set_item("node_counters", node_counters(py, &inner.node_counters())?)?;
        let members = series.members();
        let shown = std::iter::once(series.count() - 1).chain(series.nodes()..series.count() - 1);
        let distributions = shown.clone().map(|k| self.latency_histogram(py, members[k].clone()));
        found.set_item("distributions", distributions.collect::<Vec<_>>())?;
        let retries = shown.map(|k| self.retry_histogram(&members[k], figures.series[k].first_try_packets));
        found.set_item("retry_distributions", retries.collect::<Vec<_>>())?;
        Ok(found)
    }
}
