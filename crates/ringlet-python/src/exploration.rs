//! Exhaustive exploration of a small ring or network.

use numpy::ToPyArray;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use ringlet_check::{Bounds, Cause, Choice, Lasso, MAX_FLOWS};
use ringlet_engine::spec::NetworkSpec;

use crate::counters::Counts;
use crate::recording::tables;
use crate::{guarded, load_numpy};

/// Every state that a small ring or network can come to.
#[pyclass(module = "ringlet._engine")]
pub(crate) struct Exploration {
    inner: ringlet_check::Exploration,
}

/// The choices of each step: flows that generate a message, a bit each, and the link that loses something.
type Choices = Vec<(u8, Option<u16>)>;

/// Choices that lead to a state, and from there back to it.
type Way = (Choices, Choices);

fn way(lasso: Lasso) -> Way {
    let each = |choices: Vec<Choice>| choices.into_iter().map(|choice| (choice.generated, choice.damaged)).collect();
    (each(lasso.stem), each(lasso.cycle))
}

fn lasso((stem, cycle): Way) -> PyResult<Lasso> {
    if cycle.is_empty() {
        return Err(PyValueError::new_err("cycle: an empty one is not allowed; at least one step"));
    }
    let each = |choices: Choices| {
        choices.into_iter().map(|(generated, damaged)| Choice { generated, damaged }).collect::<Vec<_>>()
    };
    Ok(Lasso { stem: each(stem), cycle: each(cycle) })
}

/// Steps, or choices after which there is no end.
type Found = (Option<usize>, Option<Way>);

fn found(steps: Result<usize, Lasso>) -> Found {
    match steps {
        Ok(steps) => (Some(steps), None),
        Err(lasso) => (None, Some(way(lasso))),
    }
}

/// The states of a ring under Bernoulli traffic: flows, and the arrays of [`ringlet_check::Chain`]; without them where
/// there are more than `most` states, and how many were met.
#[pyfunction]
pub(crate) fn markov_chain<'py>(
    py: Python<'py>,
    spec_json: &str,
    most: usize,
) -> PyResult<(usize, Option<Bound<'py, PyDict>>)> {
    let refused = |error: ringlet_engine::spec::SpecError| PyValueError::new_err(error.to_string());
    let spec = NetworkSpec::from_json(spec_json).map_err(refused)?;
    if spec.flows.len() > MAX_FLOWS {
        let flows = spec.flows.len();
        return Err(PyValueError::new_err(format!("flows: {flows} are not allowed; at most {MAX_FLOWS}")));
    }
    let (mut states, mut interrupt) = (0, None);
    let goes_on = |met: usize| {
        states = met;
        interrupt = Python::attach(|py| py.check_signals()).err();
        interrupt.is_none()
    };
    let explored = py.detach(|| guarded("explored", || ringlet_check::Chain::explore(&spec, most, goes_on)))?;
    if let Some(interrupt) = interrupt {
        return Err(interrupt);
    }
    let Some(chain) = explored.map_err(refused)? else { return Ok((states, None)) };
    let found = PyDict::new(py);
    found.set_item("flows", chain.flows)?;
    found.set_item("next", chain.next.to_pyarray(py))?;
    found.set_item("lost", chain.lost.to_pyarray(py))?;
    found.set_item("delivered", chain.delivered.to_pyarray(py))?;
    found.set_item("held", chain.held.to_pyarray(py))?;
    Ok((chain.held.len() / chain.flows.max(1), Some(found)))
}

#[pymethods]
impl Exploration {
    #[new]
    fn new(
        py: Python<'_>,
        spec_json: &str,
        under_way: u8,
        losses: u8,
        step_cycles: u64,
        bypass_symbols: Option<u64>,
    ) -> PyResult<Self> {
        let refused = |error: ringlet_engine::spec::SpecError| PyValueError::new_err(error.to_string());
        let spec = NetworkSpec::from_json(spec_json).map_err(refused)?;
        if spec.flows.len() > MAX_FLOWS {
            let flows = spec.flows.len();
            return Err(PyValueError::new_err(format!("flows: {flows} are not allowed; at most {MAX_FLOWS}")));
        }
        load_numpy(py);
        let bounds = Bounds { under_way, losses, step_cycles, bypass_symbols };
        let build = || ringlet_check::Exploration::new(&spec, bounds);
        let inner = py.detach(|| guarded("built the network", build))?.map_err(refused)?;
        Ok(Self { inner })
    }

    fn explore(&mut self, py: Python<'_>, states: usize) -> PyResult<bool> {
        let inner = &mut self.inner;
        py.detach(|| guarded("explored", || inner.explore(states)))
    }

    #[getter]
    fn states(&self) -> usize {
        self.inner.graph().states()
    }

    #[getter]
    fn frontier_bytes(&self) -> usize {
        self.inner.frontier_bytes()
    }

    #[getter]
    fn bypass_max_symbols(&self) -> u64 {
        self.inner.bypass_max_symbols()
    }

    fn rest(&self, py: Python<'_>) -> Found {
        py.detach(|| found(self.inner.graph().longest_way_to_rest()))
    }

    fn rest_lasts(&self, py: Python<'_>) -> Option<Way> {
        py.detach(|| self.inner.graph().rest_lasts().err().map(way))
    }

    fn bypass_holds(&self) -> Option<Way> {
        self.inner.bypass_holds().err().map(way)
    }

    fn wait(&self, py: Python<'_>, flow: usize, without: u8) -> Found {
        py.detach(|| found(self.inner.graph().longest_wait(flow, without)))
    }

    fn repeat<'py>(&self, py: Python<'py>, along: Way, times: usize) -> PyResult<Counts<'py>> {
        let lasso = lasso(along)?;
        let go = || self.inner.witness(&lasso).repeat(times).completed();
        Ok(py.detach(|| guarded("repeated what it had found", go))?.to_pyarray(py))
    }

    fn cause(&self, py: Python<'_>, along: Way) -> PyResult<&'static str> {
        let lasso = lasso(along)?;
        let cause = py.detach(|| guarded("repeated what it had found", || self.inner.witness(&lasso).cause()))?;
        Ok(match cause {
            Cause::Deadlock => "deadlock",
            Cause::Livelock => "livelock",
            Cause::Lost => "lost",
        })
    }

    fn held(&self, py: Python<'_>, along: Way) -> PyResult<Vec<&'static str>> {
        let lasso = lasso(along)?;
        py.detach(|| guarded("repeated what it had found", || self.inner.witness(&lasso).repeat(0).held()))
    }

    fn record<'py>(&self, py: Python<'py>, along: Way, cycles: u64) -> PyResult<(Bound<'py, PyDict>, u64)> {
        let lasso = lasso(along)?;
        let record = || self.inner.witness(&lasso).record(cycles);
        let (recording, stop) = py.detach(|| guarded("recorded what it had found", record))?;
        Ok((tables(py, &recording)?, stop))
    }
}
