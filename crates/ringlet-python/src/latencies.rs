//! Quantiles of latencies, of packets and of messages.

use std::cell::RefCell;
use std::collections::HashMap;

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use ringlet_engine::{DestinationCounters, Histogram, Simulation};

/// Quantiles of each group's latencies, one row per group.
pub(crate) fn quantile_table<'py, M: Clone>(
    py: Python<'py>,
    groups: &[Vec<M>],
    quantiles: &[f64],
    latencies: impl Fn(Vec<M>) -> Histogram<u32>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    if let Some(wrong) = quantiles.iter().find(|q| !(0.0..=1.0).contains(*q)) {
        return Err(PyValueError::new_err(format!("quantiles: {wrong} is not allowed; 0 to 1")));
    }
    let values: Vec<f64> = groups
        .iter()
        .flat_map(|group| {
            let latencies = latencies(group.clone());
            let value =
                move |&q: &f64| if latencies.is_empty() { f64::NAN } else { latencies.value_at_quantile(q) as f64 };
            quantiles.iter().map(value).collect::<Vec<_>>()
        })
        .collect();
    PyArray1::from_vec(py, values).reshape([groups.len(), quantiles.len()])
}

/// Messages whose latencies are asked for: all of a flow, or those to one of its destinations.
#[derive(Clone, FromPyObject)]
pub(crate) enum Asked {
    Flow(usize),
    To(usize, u32),
}

/// Distributions of the latencies of messages of a simulation; counts of destinations are read once.
pub(crate) struct OfMessages<'a> {
    simulation: &'a Simulation,
    to: RefCell<HashMap<usize, Vec<DestinationCounters>>>,
}

impl<'a> OfMessages<'a> {
    pub(crate) fn new(simulation: &'a Simulation) -> Self {
        Self { simulation, to: RefCell::default() }
    }

    /// The distribution of all of them together.
    pub(crate) fn of(&self, asked: &[Asked]) -> Histogram<u32> {
        let flows = asked.iter().filter_map(|one| if let Asked::Flow(flow) = one { Some(*flow) } else { None });
        let mut sum = self.simulation.message_latencies(flows);
        for one in asked {
            let &Asked::To(flow, destination) = one else { continue };
            let mut read = self.to.borrow_mut();
            let counters = read.entry(flow).or_insert_with(|| self.simulation.destination_counters(flow));
            if let Ok(place) = counters.binary_search_by_key(&destination, |to| to.destination) {
                counters[place].add_latencies(&mut sum);
            }
        }
        sum
    }
}
