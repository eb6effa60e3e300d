//! Counts of activities for Python.

use numpy::ToPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use ringlet_engine::Simulation;
use ringlet_engine::activities::Count;

/// Returns the table of each activity of a kind, in the order of the spec.
pub(crate) fn of_activities<'py>(
    py: Python<'py>,
    simulation: &Simulation,
    kind: &str,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    simulation
        .activity_tables(kind)
        .into_iter()
        .map(|counts| {
            let table = PyDict::new(py);
            for (name, count) in counts {
                match count {
                    Count::Whole(count) => table.set_item(name, count)?,
                    Count::Maybe(count) => table.set_item(name, count)?,
                    Count::Several(counts) => table.set_item(name, counts)?,
                    Count::Columns(columns) => {
                        let inside = PyDict::new(py);
                        for (name, column) in columns {
                            inside.set_item(name, column.to_pyarray(py))?;
                        }
                        table.set_item(name, inside)?;
                    }
                }
            }
            Ok(table)
        })
        .collect()
}
