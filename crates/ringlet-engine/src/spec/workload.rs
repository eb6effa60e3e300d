//! Packets whose times and destinations follow from a plan: events that are built on triggers, control loops,
//! collective operations.

use serde::{Deserialize, Serialize};

use super::{ArrivalSpec, FlowSpec, MAX_CYCLES, NetworkSpec, SpecError, check};

/// Most packets of one fragment.
pub const MAX_FRAGMENT_PACKETS: u32 = 65_535;

/// A plan of packets. Its flows are those of a trace ([`ArrivalSpec::Trace`]); the simulation hands their packets in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum WorkloadSpec {
    /// Events: on each trigger all sources send a fragment to one builder.
    Events(EventsSpec),
    /// A message that goes from node to node, each time within a deadline.
    Chain(ChainSpec),
    /// One collective operation of a parallel program.
    Collective(CollectiveSpec),
}

/// Event building: triggers, fragments, builders.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventsSpec {
    /// Times of the triggers: `Poisson`, `Bernoulli` or `Periodic`.
    pub trigger: ArrivalSpec,
    /// Cycles after a trigger in which another one is lost.
    pub dead_cycles: u64,
    /// Fragments of each source.
    pub fragments: Vec<FragmentSpec>,
    /// Nodes that build events, each once.
    pub builders: Vec<u32>,
    /// Rule by which an event gets its builder.
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
    /// Number of the source's flow, which belongs to no other fragment.
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
    /// Builders as with `RoundRobin`, but source `i` sends the fragment of event `k` at trigger `k + (-i mod B)` of `B`
    /// builders: at each trigger every builder receives from other sources.
    Barrel {},
    /// The builder with most credits; without any, the trigger is lost. A credit is known so many cycles, at least 1,
    /// after its place is free.
    Credits {
        /// Cycles from when a place is free until its credit is known, at least 1.
        delay_cycles: u64,
    },
}

/// A control loop: a message goes along its stages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChainSpec {
    /// Times at which instances are released: `Poisson`, `Bernoulli` or `Periodic`.
    pub release: ArrivalSpec,
    /// Most cycles by which an instance starts after its release, drawn for each.
    pub jitter_cycles: u64,
    /// Cycles from its release in which an instance is to be complete.
    pub deadline_cycles: u64,
    /// Messages of the loop, which are sent one after the other.
    pub stages: Vec<StageSpec>,
    /// Cycles from the last delivery until the instance is complete: the last node's own work.
    pub end_cycles: u64,
}

/// One message of a control loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StageSpec {
    /// Number of the message's flow, which belongs to nothing else.
    pub flow: u32,
    /// Node of destination: that of the next stage's flow.
    pub destination: u32,
    /// Packets of it, 1 to [`MAX_STAGE_PACKETS`].
    pub packets: u32,
    /// Cycles from the release, or from the delivery of the stage before (then at least 1), until it is sent.
    pub after_cycles: u64,
}

/// Most packets of a stage: each waits for all of the stage before.
pub const MAX_STAGE_PACKETS: u32 = 256;

/// One collective operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CollectiveSpec {
    /// Kind of the operation.
    pub operation: Operation,
    /// The flow of each member, in their order; each at another node.
    pub flows: Vec<u32>,
    /// Packets that a member sends in a step.
    pub packets: u32,
    /// Cycle in which it begins.
    pub start_cycle: u64,
    /// Cycles in which a member combines a packet that it has received with its own.
    pub reduce_cycles: u64,
}

/// A collective operation of `N` members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Operation {
    /// `N - 1` steps in which parts are combined and `N - 1` in which they are handed on, each to the next member.
    AllReduce {},
    /// `N - 1` steps in which each member hands on what it has received.
    AllGather {},
    /// Packets that are handed on from one member to the next.
    Broadcast {
        /// The member that begins.
        root: u32,
    },
    /// Packets of member `i` to member `i + k` in step `k`.
    AllToAll {},
}

/// Most packets of a collective operation.
pub const MAX_COLLECTIVE_PACKETS: u64 = 1 << 22;

impl CollectiveSpec {
    /// Packets of all steps.
    pub fn all_packets(&self) -> u64 {
        let members = self.flows.len() as u64;
        let steps = members.saturating_sub(1);
        let sends = match self.operation {
            Operation::AllReduce {} => 2 * steps * members,
            Operation::AllGather {} | Operation::AllToAll {} => steps * members,
            Operation::Broadcast { .. } => steps,
        };
        sends.saturating_mul(self.packets.into())
    }
}

impl WorkloadSpec {
    /// The flows of the plan.
    pub(crate) fn flows(&self) -> Vec<u32> {
        match self {
            Self::Events(events) => events.fragments.iter().map(|fragment| fragment.flow).collect(),
            Self::Chain(chain) => chain.stages.iter().map(|stage| stage.flow).collect(),
            Self::Collective(collective) => collective.flows.clone(),
        }
    }

    /// Do its packets wait for others?
    fn waits(&self) -> bool {
        !matches!(self, Self::Events(_))
    }
}

impl NetworkSpec {
    pub(super) fn validate_workload(&self) -> Result<(), SpecError> {
        let mut planned = vec![false; self.flows.len()];
        for (index, plan) in self.workload.iter().enumerate() {
            let at = format!("workload[{index}]");
            for flow in plan.flows() {
                let place = flow as usize;
                let requests = |flow: &FlowSpec| matches!(flow.arrivals, ArrivalSpec::Trace { responses: false, .. });
                let ok = self.flows.get(place).is_some_and(requests) && !planned[place];
                check(ok, format!("{at}.flow"), flow, "a flow of a trace's requests, once")?;
                planned[place] = true;
            }
            let waits = plan.waits();
            check(!waits || self.dependence_driven(), &at, "packets that wait", "flows that are dependence-driven")?;
            match plan {
                WorkloadSpec::Events(events) => self.validate_events(events, &at)?,
                WorkloadSpec::Chain(chain) => self.validate_chain(chain, &at)?,
                WorkloadSpec::Collective(collective) => self.validate_collective(collective, &at)?,
            }
        }
        let traced = self.flows.iter().map(FlowSpec::is_traced);
        let strays = planned.iter().zip(traced).position(|(&planned, traced)| traced && !planned);
        let at = strays.filter(|_| !self.workload.is_empty());
        at.map_or(Ok(()), |flow| check(false, "workload", format!("no plan for flow {flow}"), "each flow of a trace"))
    }

    fn validate_events(&self, events: &EventsSpec, at: &str) -> Result<(), SpecError> {
        let mean = mean_gap(events.trigger, &format!("{at}.trigger"))?;
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
            let ok = fragment.packets.iter().all(|&(packets, _)| (1..=MAX_FRAGMENT_PACKETS).contains(&packets))
                && super::is_distribution(fragment.packets.iter().map(|size| size.1));
            let allowed = format!("1 to {MAX_FRAGMENT_PACKETS}, with probabilities that sum to 1");
            check(ok, format!("{at}.packets"), "a list of packets", allowed)?;
        }
        Ok(())
    }

    fn validate_chain(&self, chain: &ChainSpec, at: &str) -> Result<(), SpecError> {
        mean_gap(chain.release, &format!("{at}.release"))?;
        for (field, cycles) in [
            ("jitter_cycles", chain.jitter_cycles),
            ("deadline_cycles", chain.deadline_cycles),
            ("end_cycles", chain.end_cycles),
        ] {
            check(cycles <= MAX_CYCLES, format!("{at}.{field}"), cycles, format!("at most {MAX_CYCLES}"))?;
        }
        check(!chain.stages.is_empty(), format!("{at}.stages"), "none", "at least one")?;
        let mut here = None;
        for (k, stage) in chain.stages.iter().enumerate() {
            let at = format!("{at}.stages[{k}]");
            let source = self.flows[stage.flow as usize].source;
            let ok = here.is_none_or(|here| here == source);
            check(ok, format!("{at}.flow"), stage.flow, "a flow of the node to which the stage before goes")?;
            let ok = stage.destination < self.nodes && stage.destination != source;
            check(ok, format!("{at}.destination"), stage.destination, format!("another node below {}", self.nodes))?;
            let ok = (1..=MAX_STAGE_PACKETS).contains(&stage.packets);
            check(ok, format!("{at}.packets"), stage.packets, format!("1 to {MAX_STAGE_PACKETS}"))?;
            let after = stage.after_cycles;
            check(after <= MAX_CYCLES, format!("{at}.after_cycles"), after, format!("at most {MAX_CYCLES}"))?;
            here = Some(stage.destination);
        }
        Ok(())
    }

    fn validate_collective(&self, collective: &CollectiveSpec, at: &str) -> Result<(), SpecError> {
        let members = collective.flows.len();
        check(members >= 2, format!("{at}.flows"), format!("{members} members"), "at least two")?;
        let mut nodes: Vec<u32> = collective.flows.iter().map(|&flow| self.flows[flow as usize].source).collect();
        nodes.sort_unstable();
        nodes.dedup();
        check(nodes.len() == members, format!("{at}.flows"), "two flows of a node", "members at different nodes")?;
        if let Operation::Broadcast { root } = collective.operation {
            let allowed = format!("a member below {members}");
            check((root as usize) < members, format!("{at}.operation.root"), root, allowed)?;
        }
        check(collective.packets > 0, format!("{at}.packets"), 0, "at least 1")?;
        let all = collective.all_packets();
        let allowed = format!("at most {MAX_COLLECTIVE_PACKETS} packets of all steps");
        check(all <= MAX_COLLECTIVE_PACKETS, format!("{at}.packets"), all, allowed)?;
        for (field, cycles) in [("start_cycle", collective.start_cycle), ("reduce_cycles", collective.reduce_cycles)] {
            check(cycles < MAX_CYCLES, format!("{at}.{field}"), cycles, format!("below {MAX_CYCLES}"))?;
        }
        Ok(())
    }
}

/// Checks when there is a trigger, and returns the mean of the cycles between two.
fn mean_gap(arrivals: ArrivalSpec, at: &str) -> Result<f64, SpecError> {
    match arrivals {
        ArrivalSpec::Periodic { period, phase } => {
            let range = 0.0..=MAX_CYCLES as f64;
            let ok = period >= 1.0 && range.contains(&period) && range.contains(&phase);
            check(ok, format!("{at}.period"), period, "at least 1 cycle, from a cycle on")?;
            Ok(period)
        }
        ArrivalSpec::Poisson { rate } | ArrivalSpec::Bernoulli { rate } => {
            check(rate > 0.0 && rate <= 1.0, format!("{at}.rate"), rate, "above 0, at most 1 per cycle")?;
            Ok(1.0 / rate)
        }
        _ => check(false, at, "other arrivals", "periodic, poisson or bernoulli").map(|()| 0.0),
    }
}
