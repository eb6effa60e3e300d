//! Counts of control loops and collective operations for Python.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use ringlet_engine::Simulation;
use ringlet_engine::chains::ChainCounters;

/// Quantile of the responses that is returned.
const QUANTILE: f64 = 0.99;

/// Returns the table of each control loop, in the order of the spec.
pub(crate) fn of_chains<'py>(py: Python<'py>, simulation: &Simulation) -> PyResult<Vec<Bound<'py, PyDict>>> {
    simulation.chain_counters().into_iter().map(|counters| table(py, counters)).collect()
}

/// Packets of a collective operation, those delivered, and the cycle of the last delivery; `None` without one.
pub(crate) fn of_collective(simulation: &Simulation) -> Option<(u64, u64, u64)> {
    simulation.collective_counters().first().map(|one| (one.packets, one.delivered, one.last_cycle))
}

fn table<'py>(py: Python<'py>, counters: &ChainCounters) -> PyResult<Bound<'py, PyDict>> {
    let &ChainCounters { released, due, missed, sum_cycles, min_cycles, max_cycles, open, oldest, ref responses } =
        counters;
    let table = PyDict::new(py);
    table.set_item("released", released)?;
    table.set_item("completed", responses.len())?;
    table.set_item("due", due)?;
    table.set_item("missed", missed)?;
    table.set_item("open", open)?;
    table.set_item("oldest", oldest)?;
    table.set_item("sum_cycles", sum_cycles)?;
    table.set_item("min_cycles", min_cycles)?;
    table.set_item("max_cycles", max_cycles)?;
    // The upper end of the histogram's interval that holds it may lie beyond the largest.
    table.set_item("p99_cycles", responses.value_at_quantile(QUANTILE).min(max_cycles))?;
    Ok(table)
}
