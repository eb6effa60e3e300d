//! Event building in a spec: triggers, fragments, builders.

use super::super::prelude::*;
use super::Events;

/// Most packets of one fragment.
pub const MAX_FRAGMENT_PACKETS: u32 = 65_535;

/// Event building: triggers, fragments, builders.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventsSpec {
    /// Times of the triggers: `Poisson`, `Bernoulli` or `Periodic`; or `Listed`, those of `trigger_cycles`.
    pub trigger: ArrivalSpec,
    /// Cycles of listed triggers, ascending; else none.
    #[serde(default)]
    pub trigger_cycles: Vec<u64>,
    /// Times in which there are triggers, and not; `None`: there always are.
    #[serde(default)]
    pub spill: Option<SpillSpec>,
    /// Cycles after a trigger in which another one is lost.
    pub dead_cycles: u64,
    /// Does a trigger that is lost in the dead time begin it anew?
    #[serde(default)]
    pub paralysable: bool,
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

/// Spills: the clock of the triggers goes on for some time, from cycle 0 on, and stands for some time, and so on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpillSpec {
    /// Cycles of a spill, at least 1.
    pub on_cycles: u64,
    /// Cycles until the next one, at least 1.
    pub off_cycles: u64,
}

impl SpillSpec {
    /// The cycle in which the clock of the triggers has gone on for so long.
    pub(super) fn cycle(self, gone: u64) -> u64 {
        gone.saturating_add((gone / self.on_cycles).saturating_mul(self.off_cycles))
    }
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

impl Options for EventsSpec {
    fn flows(&self) -> Vec<u32> {
        self.fragments.iter().map(|fragment| fragment.flow).collect()
    }

    fn waits(&self) -> bool {
        false
    }

    fn times(&self) -> Option<ArrivalSpec> {
        Some(self.trigger)
    }

    fn is_determined(&self) -> bool {
        let always = self.spill.is_none();
        always && self.trigger.is_determined() && self.fragments.iter().all(|fragment| fragment.packets.len() == 1)
    }

    fn check(&self, spec: &NetworkSpec, at: &str) -> Result<(), SpecError> {
        let dead = self.dead_cycles;
        if let ArrivalSpec::Listed {} = self.trigger {
            let (times, path) = (&self.trigger_cycles, format!("{at}.trigger_cycles"));
            let ok = times.is_sorted() && times.last().is_some_and(|&last| last < MAX_CYCLES);
            check(ok, path, "a list of cycles", format!("ascending cycles below {MAX_CYCLES}, at least one"))?;
            check(self.spill.is_none(), format!("{at}.spill"), "given", "none of triggers that are listed")?;
        } else {
            let mean = mean_gap(self.trigger, &format!("{at}.trigger"))?;
            let listed = self.trigger_cycles.len();
            check(listed == 0, format!("{at}.trigger_cycles"), listed, "none but of triggers that are listed")?;
            check(
                // A mean that is made of a rate may lie a rounding error below.
                dead as f64 <= mean * (1.0 + 1e-9),
                format!("{at}.dead_cycles"),
                dead,
                format!("at most {mean} cycles, the mean time between triggers"),
            )?;
        }
        if let Some(SpillSpec { on_cycles, off_cycles }) = self.spill {
            for (field, cycles) in [("on_cycles", on_cycles), ("off_cycles", off_cycles)] {
                let allowed = format!("1 to {MAX_CYCLES}");
                check((1..=MAX_CYCLES).contains(&cycles), format!("{at}.spill.{field}"), cycles, allowed)?;
            }
        }
        for (field, cycles) in [("build_cycles", self.build_cycles), ("dead_cycles", dead)] {
            check(cycles <= MAX_CYCLES, format!("{at}.{field}"), cycles, format!("at most {MAX_CYCLES}"))?;
        }
        if let Some(timeout) = self.timeout_cycles {
            let ok = (1..=MAX_CYCLES).contains(&timeout);
            check(ok, format!("{at}.timeout_cycles"), timeout, format!("1 to {MAX_CYCLES}"))?;
        }
        check(self.places != Some(0), format!("{at}.places"), 0, "at least 1 event")?;
        if let AssignmentSpec::Credits { delay_cycles } = self.assignment {
            let ok = (1..=MAX_CYCLES).contains(&delay_cycles);
            check(ok, format!("{at}.assignment.delay_cycles"), delay_cycles, format!("1 to {MAX_CYCLES}"))?;
            check(self.places.is_some(), format!("{at}.places"), "unlimited", "a number, where there are credits")?;
        }
        check(!self.builders.is_empty(), format!("{at}.builders"), "none", "at least one")?;
        for (k, &builder) in self.builders.iter().enumerate() {
            let ok = builder < spec.nodes && !self.builders[..k].contains(&builder);
            check(ok, format!("{at}.builders[{k}]"), builder, format!("a node below {}, each once", spec.nodes))?;
        }
        check(!self.fragments.is_empty(), format!("{at}.fragments"), "none", "at least one source")?;
        for (k, fragment) in self.fragments.iter().enumerate() {
            let at = format!("{at}.fragments[{k}]");
            let ok = fragment.packets.iter().all(|&(packets, _)| (1..=MAX_FRAGMENT_PACKETS).contains(&packets))
                && is_distribution(fragment.packets.iter().map(|size| size.1));
            let allowed = format!("1 to {MAX_FRAGMENT_PACKETS}, with probabilities that sum to 1");
            check(ok, format!("{at}.packets"), "a list of packets", allowed)?;
        }
        Ok(())
    }
}

impl Begins for EventsSpec {
    type Plan = Events;

    fn plan(&self, spec: &NetworkSpec, index: usize) -> Events {
        Events::new(spec, index, self)
    }
}
