//! Counters as tables, a column for each.

use std::borrow::Borrow;

use numpy::{PyArray1, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use ringlet_engine::measure::{
    ErrorCounters, FlowCounters, HostCounts, LinkCounters, MessageCounters, NodeCounters, PortCounters,
};
use ringlet_engine::{DestinationCounters, Simulation, counted_by_protocols};

/// An array of counts.
pub(crate) type Counts<'py> = Bound<'py, PyArray1<u64>>;

/// A counter's name and how to read it.
pub(crate) type Column<C> = (&'static str, fn(&C) -> u64);

/// Errors at an interface.
const ERROR_COLUMNS: &[Column<ErrorCounters>] = &[
    ("lost_sends", |c| c.lost_sends),
    ("lost_echoes", |c| c.lost_echoes),
    ("timeouts", |c| c.timeouts),
    ("given_up_packets", |c| c.given_up_packets),
    ("first_timeout_cycle", |c| c.first_timeout_cycle),
    ("first_given_up_cycle", |c| c.first_given_up_cycle),
    ("undelivered_packets", |c| c.undelivered_packets),
    ("undelivered_symbols", |c| c.undelivered_symbols),
    ("first_failure_cycle", |c| c.first_failure_cycle),
];

/// Messages with sizes or times of their own.
const MESSAGE_COLUMNS: &[Column<MessageCounters>] = &[
    ("released", |c| c.released),
    ("released_bytes", |c| c.released_bytes),
    ("completed_bytes", |c| c.completed_bytes),
    ("lost", |c| c.lost),
    ("judged", |c| c.judged),
    ("missed", |c| c.missed),
    ("open", |c| c.open),
    ("oldest", |c| c.oldest.unwrap_or(u64::MAX)),
];

/// The counters of every interface of a ring.
pub(crate) const INTERFACE_COLUMNS: &[Column<NodeCounters>] = &[
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
    ("slow_link_max_symbols", |c| c.slow_link_max_symbols),
    ("refused_packets", |c| c.refused_packets),
];

pub(crate) fn columns<'py, C>(
    py: Python<'py>,
    counters: &[impl Borrow<C>],
    fields: &[Column<C>],
) -> PyResult<Bound<'py, PyDict>> {
    let table = PyDict::new(py);
    for (name, field) in fields {
        let column: Vec<u64> = counters.iter().map(|counter| field(counter.borrow())).collect();
        table.set_item(name, column.to_pyarray(py))?;
    }
    Ok(table)
}

/// The counters of interfaces, with those of any protocol: 0 where the network's does not count.
fn interface_columns<'py>(py: Python<'py>, counters: &[NodeCounters]) -> PyResult<Bound<'py, PyDict>> {
    let table = columns(py, counters, INTERFACE_COLUMNS)?;
    for (name, _) in counted_by_protocols() {
        let column: Vec<u64> = counters.iter().map(|counter| counter.of_protocol(name)).collect();
        table.set_item(name, column.to_pyarray(py))?;
    }
    Ok(table)
}

/// The counters of the messages of flows.
pub(crate) fn of_messages<'py>(py: Python<'py>, simulation: &Simulation) -> PyResult<Bound<'py, PyDict>> {
    let counters: Vec<_> = simulation.message_counters().into_iter().map(Option::unwrap_or_default).collect();
    columns(py, &counters, MESSAGE_COLUMNS)
}

/// The counters of the messages of flows to each of their destinations, where they are kept.
pub(crate) fn of_destinations<'py>(py: Python<'py>, simulation: &Simulation) -> PyResult<Bound<'py, PyDict>> {
    let flows = simulation.flow_counters().len();
    let (of, counters): (Vec<u64>, Vec<DestinationCounters>) = (0..flows)
        .flat_map(|flow| simulation.destination_counters(flow).into_iter().map(move |to| (flow as u64, to)))
        .unzip();
    let messages: Vec<MessageCounters> = counters.iter().map(|to| to.messages).collect();
    let table = columns(py, &messages, MESSAGE_COLUMNS)?;
    table.set_item("flow", of.to_pyarray(py))?;
    let fields: &[Column<DestinationCounters>] = &[
        ("destination", |c| c.destination.into()),
        ("completed_messages", |c| c.completed_messages),
        ("message_latency_sum_cycles", |c| c.latency_sum_cycles),
        ("message_latency_min_cycles", |c| c.latency_min_cycles),
        ("message_latency_max_cycles", |c| c.latency_max_cycles),
    ];
    table.update(columns(py, &counters, fields)?.as_mapping())?;
    Ok(table)
}

/// The counters of nodes.
pub(crate) fn of_nodes<'py>(py: Python<'py>, simulation: &Simulation) -> PyResult<Bound<'py, PyDict>> {
    interface_columns(py, &simulation.node_counters())
}

/// The counters of the link controllers of switches.
pub(crate) fn of_ports<'py>(py: Python<'py>, simulation: &Simulation) -> PyResult<Bound<'py, PyDict>> {
    let counters = simulation.port_counters();
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

/// Errors at nodes.
pub(crate) fn of_errors<'py>(py: Python<'py>, simulation: &Simulation) -> PyResult<Bound<'py, PyDict>> {
    columns(py, &simulation.error_counters(), ERROR_COLUMNS)
}

/// The counters of B-Links.
pub(crate) fn of_links<'py>(py: Python<'py>, simulation: &Simulation) -> PyResult<Bound<'py, PyDict>> {
    let fields: &[Column<LinkCounters>] = &[
        ("switch", |c| c.switch.into()),
        ("link", |c| c.link.into()),
        ("packets", |c| c.packets),
        ("busy_ps", |c| c.busy_ps),
        ("inverted_packets", |c| c.inverted_packets),
        ("inverted_ps", |c| c.inverted_ps),
    ];
    columns(py, &simulation.link_counters(), fields)
}

/// The counters of flows.
pub(crate) fn of_flows<'py>(py: Python<'py>, simulation: &Simulation) -> PyResult<Bound<'py, PyDict>> {
    let fields: &[Column<FlowCounters>] = &[
        ("generated_packets", |c| c.generated_packets),
        ("lost_packets", |c| c.lost_packets),
        ("sent_packets", |c| c.sent_packets),
        ("first_try_packets", |c| c.first_try_packets),
        ("retries", |c| c.retries),
        ("retry_symbols", |c| c.retry_symbols),
        ("delivered_packets", |c| c.delivered_packets),
        ("delivered_symbols", |c| c.delivered_symbols),
        ("latency_sum_cycles", |c| c.latency_sum_cycles),
        ("latency_min_cycles", |c| c.latency_min_cycles()),
        ("latency_max_cycles", |c| c.latency_max_cycles),
    ];
    let table = columns(py, &simulation.flow_counters(), fields)?;
    let hosts: Vec<HostCounts> = simulation.flow_counters().into_iter().map(FlowCounters::host).collect();
    let fields: &[Column<HostCounts>] = &[
        ("delivered_responses", |c| c.delivered_responses),
        ("response_latency_sum_cycles", |c| c.response_latency_sum_cycles),
        ("completed_messages", |c| c.completed_messages),
        ("repeated_packets", |c| c.repeated_packets),
        ("bad_packets", |c| c.bad_packets),
        ("bad_symbols", |c| c.bad_symbols),
        ("bad_responses", |c| c.bad_responses),
        ("given_up_packets", |c| c.given_up_packets),
        ("timed_out_requests", |c| c.timed_out_requests),
        ("unanswered_requests", |c| c.unanswered_requests),
        ("late_responses", |c| c.late_responses),
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
