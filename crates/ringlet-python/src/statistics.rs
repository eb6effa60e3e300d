//! Statistics of series, on arrays.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use ringlet_run::statistics::{self, Interval};

/// The columns of a table.
fn series(table: &PyReadonlyArray2<'_, f64>) -> Vec<Vec<f64>> {
    table.as_array().columns().into_iter().map(|column| column.iter().copied().collect()).collect()
}

#[pyfunction]
pub(crate) fn mser5(series: PyReadonlyArray1<'_, f64>) -> (usize, bool) {
    let values: Vec<f64> = series.as_array().iter().copied().collect();
    let truncation = statistics::mser5(&values);
    (truncation.observations, truncation.settled)
}

/// Means, half widths, correlations, and whether these are significant.
type Intervals<'py> =
    (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<bool>>);

#[pyfunction]
pub(crate) fn batch_means<'py>(
    py: Python<'py>,
    totals: PyReadonlyArray2<'py, f64>,
    sizes: PyReadonlyArray2<'py, f64>,
) -> (Intervals<'py>, usize) {
    let pairs = series(&totals).into_iter().zip(series(&sizes));
    let found: Vec<Interval> = pairs.map(|(totals, sizes)| statistics::batch_means(&totals, &sizes)).collect();
    let column = |value: fn(&Interval) -> f64| found.iter().map(value).collect::<Vec<_>>().to_pyarray(py);
    let correlated: Vec<bool> = found.iter().map(|interval| interval.correlated).collect();
    let batches = found.first().map_or(0, |interval| interval.batches);
    let columns = (column(|it| it.mean), column(|it| it.half_width), column(|it| it.lag1), correlated.to_pyarray(py));
    (columns, batches)
}

#[pyfunction]
pub(crate) fn collapse<'py>(
    py: Python<'py>,
    values: PyReadonlyArray2<'py, f64>,
    at_most: usize,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    if at_most == 0 {
        return Err(PyValueError::new_err("at_most: 0 is not allowed; at least 1"));
    }
    let merged: Vec<Vec<f64>> = series(&values).iter().map(|column| statistics::collapse(column, at_most)).collect();
    let rows = merged.first().map_or(0, Vec::len);
    let table = (0..rows).flat_map(|row| merged.iter().map(move |column| column[row])).collect::<Vec<_>>();
    PyArray1::from_vec(py, table).reshape([rows, merged.len()])
}
