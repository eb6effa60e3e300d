//! Counts of event building for Python.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use ringlet_engine::Simulation;
use ringlet_engine::events::{BuilderCounters, EventCounters};
use ringlet_run::figures::QUANTILES;

use crate::counters::{Column, columns};

const BUILDER_COLUMNS: &[Column<BuilderCounters>] = &[
    ("node", |c| c.node.into()),
    ("built", |c| c.built),
    ("lost", |c| c.lost),
    ("incomplete", |c| c.incomplete),
    ("latency_sum_cycles", |c| c.latency_sum_cycles),
    ("latency_max_cycles", |c| c.latency_max_cycles),
    ("held_event_cycles", |c| c.held.sum),
    ("held_max", |c| c.held.most),
    ("busy_cycles", |c| c.busy.sum),
];

/// Returns the table of the plan of event building; `None` without one.
pub(crate) fn of_events<'py>(py: Python<'py>, simulation: &Simulation) -> PyResult<Option<Bound<'py, PyDict>>> {
    simulation.event_counters().first().map(|&counters| table(py, counters)).transpose()
}

fn table<'py>(py: Python<'py>, counters: &EventCounters) -> PyResult<Bound<'py, PyDict>> {
    let table = PyDict::new(py);
    table.set_item("triggers", counters.triggers)?;
    table.set_item("dead", counters.dead)?;
    table.set_item("refused", counters.refused)?;
    table.set_item("open", counters.open)?;
    let latencies = &counters.latencies;
    let most = counters.builders.iter().map(|one| one.latency_max_cycles).max().unwrap_or(0);
    // A quantile is the upper end of the histogram's interval that holds it, which may lie beyond the largest.
    let quantiles = QUANTILES.map(|q| (!latencies.is_empty()).then(|| latencies.value_at_quantile(q).min(most)));
    table.set_item("latency_quantiles", quantiles)?;
    table.set_item("latency_min", (!latencies.is_empty()).then(|| latencies.min().min(most)))?;
    table.set_item("builders", columns(py, &counters.builders, BUILDER_COLUMNS)?)?;
    Ok(table)
}
