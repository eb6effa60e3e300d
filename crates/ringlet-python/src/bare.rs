//! The bare loop that the engine's speed is compared with.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

#[pyclass(module = "ringlet._engine")]
pub(crate) struct BareRing {
    inner: ringlet_bare::Ring,
}

#[pymethods]
impl BareRing {
    #[new]
    fn new(nodes: u16, hop_delay: usize, symbols: u16, mean_gap: f64, seed: u64) -> PyResult<Self> {
        if nodes < 2 || hop_delay == 0 || symbols < 2 || mean_gap.is_nan() || mean_gap <= 0.0 {
            return Err(PyValueError::new_err("a ring has 2 nodes, packets 2 symbols, and gaps are positive"));
        }
        Ok(Self { inner: ringlet_bare::Ring::new(nodes, hop_delay, symbols, mean_gap, seed) })
    }

    fn advance(&mut self, py: Python<'_>, cycles: u64) {
        py.detach(|| self.inner.advance(cycles));
    }

    #[getter]
    fn delivered(&self) -> u64 {
        self.inner.delivered
    }

    #[getter]
    fn latency(&self) -> u64 {
        self.inner.latency
    }
}
