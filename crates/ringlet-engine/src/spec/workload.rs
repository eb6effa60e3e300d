//! Packets whose times and destinations follow from a plan: triggers and the events that are built on them.

use serde::{Deserialize, Serialize};

use super::{ArrivalSpec, MAX_CYCLES, NetworkSpec, SpecError, check};

/// Most packets of one fragment.
pub const MAX_FRAGMENT_PACKETS: u32 = 65_535;

/// A plan of packets. Its flows are those of a trace ([`ArrivalSpec::Trace`]); the simulation hands their packets in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum WorkloadSpec {
    /// On each trigger all sources send a fragment to one builder.
    Events(EventsSpec),
}

/// Event building: triggers, fragments, builders.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventsSpec {
    /// When there is a trigger: `Poisson`, `Bernoulli` or `Periodic`.
    pub trigger: ArrivalSpec,
    /// Cycles after a trigger in which another one is lost.
    pub dead_cycles: u64,
    /// What each source sends.
    pub fragments: Vec<FragmentSpec>,
    /// Nodes that build events, each once.
    pub builders: Vec<u32>,
    /// Which builder an event is for.
    pub assignment: AssignmentSpec,
    /// Events that a builder holds, from their first packet until they are processed; `None`: unlimited. With credits
    /// it is the number of them.
    pub places: Option<u32>,
    /// Cycles for which a builder processes an event that is complete, one at a time.
    pub build_cycles: u64,
    /// Cycles after its trigger in which an event that is not complete is given up; `None`: it never is.
    pub timeout_cycles: Option<u64>,
}

/// The fragments of a source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FragmentSpec {
    /// Its flow, which belongs to no other fragment.
    pub flow: u32,
    /// Packets of a fragment, each at least 1, with their probabilities, which sum to 1.
    pub packets: Vec<(u32, f64)>,
}

/// The rule by which an event gets its builder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum AssignmentSpec {
    /// Event `k` is for builder `k` modulo their number, and all sources send at its trigger.
    RoundRobin {},
    /// The same builders, but source `i` sends the fragment of event `k` at trigger `k + (-i mod B)` of `B` builders:
    /// at each trigger every builder receives from other sources.
    Barrel {},
    /// The builder with most credits; without any, the trigger is lost. A credit is known so many cycles, at least 1,
    /// after its place is free.
    Credits {
        /// These cycles.
        delay_cycles: u64,
    },
}

impl NetworkSpec {
    pub(super) fn validate_workload(&self) -> Result<(), SpecError> {
        let mut planned = vec![false; self.flows.len()];
        for (index, WorkloadSpec::Events(events)) in self.workload.iter().enumerate() {
            self.validate_events(events, &format!("workload[{index}]"), &mut planned)?;
        }
        let traced = self.flows.iter().map(super::FlowSpec::is_traced);
        let strays = planned.iter().zip(traced).position(|(&planned, traced)| traced && !planned);
        let at = strays.filter(|_| !self.workload.is_empty());
        at.map_or(Ok(()), |flow| check(false, "workload", format!("no plan for flow {flow}"), "each flow of a trace"))
    }

    fn validate_events(&self, events: &EventsSpec, at: &str, planned: &mut [bool]) -> Result<(), SpecError> {
        let mean = match events.trigger {
            ArrivalSpec::Periodic { period, phase } => {
                let range = 0.0..=MAX_CYCLES as f64;
                let ok = period >= 1.0 && range.contains(&period) && range.contains(&phase);
                check(ok, format!("{at}.trigger.period"), period, "at least 1 cycle, from a cycle on")?;
                period
            }
            ArrivalSpec::Poisson { rate } | ArrivalSpec::Bernoulli { rate } => {
                check(rate > 0.0 && rate <= 1.0, format!("{at}.trigger.rate"), rate, "above 0, at most 1 per cycle")?;
                1.0 / rate
            }
            _ => return check(false, format!("{at}.trigger"), "other arrivals", "periodic, poisson or bernoulli"),
        };
        let dead = events.dead_cycles;
        check(
            // A mean that is made of a rate may lie a rounding error below.
            dead as f64 <= mean * (1.0 + 1e-9),
            format!("{at}.dead_cycles"),
            dead,
            format!("at most {mean} cycles, the mean time between triggers"),
        )?;
        for (field, cycles) in [("build_cycles", events.build_cycles), ("dead_cycles", dead)] {
            check(cycles <= MAX_CYCLES, format!("{at}.{field}"), cycles, format!("at most {MAX_CYCLES}"))?;
        }
        if let Some(timeout) = events.timeout_cycles {
            let ok = (1..=MAX_CYCLES).contains(&timeout);
            check(ok, format!("{at}.timeout_cycles"), timeout, format!("1 to {MAX_CYCLES}"))?;
        }
        check(events.places != Some(0), format!("{at}.places"), 0, "at least 1 event")?;
        if let AssignmentSpec::Credits { delay_cycles } = events.assignment {
            let ok = (1..=MAX_CYCLES).contains(&delay_cycles);
            check(ok, format!("{at}.assignment.delay_cycles"), delay_cycles, format!("1 to {MAX_CYCLES}"))?;
            check(events.places.is_some(), format!("{at}.places"), "unlimited", "a number, where there are credits")?;
        }
        check(!events.builders.is_empty(), format!("{at}.builders"), "none", "at least one")?;
        for (k, &builder) in events.builders.iter().enumerate() {
            let ok = builder < self.nodes && !events.builders[..k].contains(&builder);
            check(ok, format!("{at}.builders[{k}]"), builder, format!("a node below {}, each once", self.nodes))?;
        }
        check(!events.fragments.is_empty(), format!("{at}.fragments"), "none", "at least one source")?;
        for (k, fragment) in events.fragments.iter().enumerate() {
            let at = format!("{at}.fragments[{k}]");
            let flow = fragment.flow as usize;
            let requests =
                |flow: &super::FlowSpec| matches!(flow.arrivals, ArrivalSpec::Trace { responses: false, .. });
            let ok = self.flows.get(flow).is_some_and(requests) && !planned[flow];
            check(ok, format!("{at}.flow"), flow, "a flow of a trace's requests, in one plan")?;
            planned[flow] = true;
            let ok = fragment.packets.iter().all(|&(packets, _)| (1..=MAX_FRAGMENT_PACKETS).contains(&packets))
                && super::flows::is_distribution(fragment.packets.iter().map(|size| size.1));
            let allowed = format!("1 to {MAX_FRAGMENT_PACKETS}, with probabilities that sum to 1");
            check(ok, format!("{at}.packets"), "a list of packets", allowed)?;
        }
        Ok(())
    }
}
