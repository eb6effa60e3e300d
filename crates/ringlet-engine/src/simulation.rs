//! The front door: a spec in, counts and histograms out.

mod build;
mod workload;

use std::any::Any;

use hdrhistogram::Histogram;

use crate::hosts::{Handed, InjectedPacket, Injection, Intake, PacketEvent, Replayed, TracePacket};
use crate::results::{
    Copied, Counters, Counts, Delivered, DestinationCounters, ErrorCounters, FlowCounters, LinkCounters,
    MessageCounters, NodeCounters, Observer, PortCounters, RETRY_DIGITS, Recorder, Table, Times, new_histogram,
};
use crate::ring::{Damaged, Simulate, Stall, read, saved};
use crate::spec::{MAX_CYCLES, NetworkSpec, SpecError, check};
use crate::values::{Bounds, Inspection, Moment, State};

use build::build;
use workload::Workload;

/// A simulation that is advanced in steps; its results do not depend on the steps.
pub struct Simulation {
    ring: Box<dyn Simulate>,
    nodes: u32,
    latency_digits: u8,
    /// Intake of a trace, if there is one.
    intake: Option<Box<Intake>>,
    /// Workload that hands its packets in, if there is any.
    workload: Option<Box<Workload>>,
    /// Injection of packets, if any may be injected.
    injection: Option<Box<Injection>>,
    /// Counts of periods that were not simulated, since they repeat one that was.
    repeated: Option<Box<Repeated>>,
}

/// Periods that were counted and not simulated.
#[derive(Clone)]
struct Repeated {
    /// Cycles of them, since cycle 0.
    cycles: u64,
    /// Counts of those since the last reset.
    added: Counts,
    /// Counts of all the time since then: what is read.
    shown: Counts,
}

impl Simulation {
    /// Builds the network at cycle 0.
    ///
    /// # Errors
    /// The first field of the spec that cannot be simulated.
    pub fn new(spec: &NetworkSpec) -> Result<Self, SpecError> {
        Self::built(spec, ())
    }

    /// Builds the network at cycle 0, with an observer of what happens.
    ///
    /// # Errors
    /// The first field of the spec that cannot be simulated.
    pub fn observed<O: Observer + 'static>(spec: &NetworkSpec, observer: O) -> Result<Self, SpecError> {
        check(spec.network.is_none(), "network", "a network of rings", "a single ring, if it is observed")?;
        Self::built(spec, observer)
    }

    fn built<O: Observer + 'static>(spec: &NetworkSpec, observer: O) -> Result<Self, SpecError> {
        spec.validate()?;
        let mut ring = build(spec, &spec.flow_control.options()?, observer)?;
        let workload = Workload::of(spec).map(Box::new);
        if workload.is_some() {
            ring.keep_deliveries(true);
        }
        Ok(Self {
            ring,
            nodes: spec.nodes,
            latency_digits: spec.measurement.latency_digits,
            // Beside plans no trace comes in from outside: each of its flows has to belong to one (`check_activities`).
            intake: if workload.is_some() { None } else { Intake::of(spec).map(Box::new) },
            workload,
            injection: Injection::of(spec)?.map(Box::new),
            repeated: None,
        })
    }

    /// A copy of which a recorder sees everything from here on.
    pub fn recorded(&self, recorder: Recorder) -> Self {
        Self { ring: self.ring.recorded(recorder), ..self.fork() }
    }

    /// Advances a network on so many threads from now on; 1 at first. The results do not depend on it.
    pub fn use_threads(&mut self, threads: usize) {
        self.ring.use_threads(threads);
    }

    /// Simulates `cycles` more cycles, but goes no further than a trace is known; stops early at a stall and says
    /// where.
    pub fn advance(&mut self, cycles: u64) -> Option<Stall> {
        let stall = self.advance_ring(self.ring.cycle().saturating_add(cycles).min(self.known_until()));
        self.show();
        let skipped = self.skipped();
        stall.map(|stall| Stall { since_cycle: stall.since_cycle + skipped, ..stall })
    }

    /// Simulates up to a cycle, those of repeated periods not counted.
    fn advance_ring(&mut self, end: u64) -> Option<Stall> {
        let Some(workload) = &mut self.workload else { return self.ring.advance_to(end) };
        loop {
            let before = self.ring.cycle();
            let until = workload.release(before, &mut *self.ring, end);
            let stall = self.ring.advance_to(until);
            let cycle = self.ring.cycle();
            workload.see(cycle, &mut *self.ring);
            // A network ends earlier than a ring, since it counts picoseconds.
            if stall.is_some() || cycle >= end || cycle == before {
                return stall;
            }
        }
    }

    /// The cycle before which no packet will be anywhere, but for those of a trace that are still to be handed in.
    pub fn quiet_until(&self) -> u64 {
        self.ring.quiet_until().saturating_add(self.skipped())
    }

    /// Cycle beyond which the simulation does not go: up to there all packets of the trace are known. Without a trace,
    /// [`MAX_CYCLES`].
    pub fn known_until(&self) -> u64 {
        self.intake.as_ref().map_or(MAX_CYCLES, |intake| intake.known().min(MAX_CYCLES))
    }

    /// Hands in further packets of a trace, in the order of their cycles, none of them before [`Self::known_until`];
    /// all packets before cycle `until` are known then. In how many pieces a trace is handed in does not matter to the
    /// results.
    ///
    /// # Errors
    /// The first packet that cannot be simulated, or that the spec has no flow of a trace; those before it have been
    /// handed in.
    pub fn hand_in<'a>(
        &mut self,
        packets: impl IntoIterator<Item = TracePacket<'a>>,
        until: u64,
    ) -> Result<(), SpecError> {
        let intake = self.intake.as_mut();
        check(intake.is_some(), "packets", "a trace", "a spec with flows whose arrivals are a trace")?;
        let intake = intake.expect("it was just checked");
        for packet in packets {
            self.ring.hand_in(&intake.check(&packet)?);
        }
        intake.extend_to(until)
    }

    /// Packets of a trace that have been handed in.
    pub fn handed_in(&self) -> u32 {
        self.intake.as_ref().map_or(0, |intake| intake.count())
    }

    /// The progress of the replay of a trace, or of what plans have released; all zero without either.
    pub fn replayed(&self) -> Replayed {
        let replayed = self.ring.replayed();
        // How far ahead a plan hands in what it is going to release depends on the steps.
        if self.workload.is_some() { Replayed { waiting: 0, due: 0, ..replayed } } else { replayed }
    }

    /// Keeps each delivery from now on until it is taken.
    pub fn keep_deliveries(&mut self) {
        self.set_keeping(true);
    }

    /// Keeps deliveries no longer; those not yet taken are gone.
    pub fn drop_deliveries(&mut self) {
        self.set_keeping(false);
    }

    fn set_keeping(&mut self, keep: bool) {
        match &mut self.workload {
            // Its plans need those of the ring.
            Some(workload) => workload.keep_deliveries(keep),
            None => self.ring.keep_deliveries(keep),
        }
    }

    /// The deliveries kept since the last call that lie before the present cycle, in order of time. Those of the
    /// present
    /// cycle come with the next call, so that what is handed out up to a cycle does not depend on the steps.
    pub fn take_deliveries(&mut self) -> Vec<Delivered> {
        let mut taken = Vec::new();
        match &mut self.workload {
            Some(workload) => taken = workload.take_deliveries(),
            None => {
                self.ring.take_deliveries(self.ring.cycle(), &mut taken);
                Delivered::sort(&mut taken);
            }
        }
        let skipped = self.skipped();
        for delivered in &mut taken {
            delivered.cycle += skipped;
            delivered.packet.generated += skipped;
        }
        taken
    }

    /// Injects a packet, which starts in the present cycle or a later one; returns its number. Of one cycle and node
    /// the packets start in the order in which they were injected, behind what the node's other flows generate.
    ///
    /// # Errors
    /// What is wrong with the packet; it has not been injected.
    pub fn inject(&mut self, packet: &InjectedPacket) -> Result<u32, SpecError> {
        let now = self.cycle();
        let (flow, own) = self.injection()?.check(packet, now)?;
        let &InjectedPacket { cycle, source, destination, response_symbols, .. } = packet;
        let has_way = |from: u32, to: u32| from == to || self.ring.has_way(from, to);
        let to = format!("a node to which there is a route from {source}");
        check(has_way(source, destination), "destination", destination, to)?;
        let back = response_symbols.is_none() || has_way(destination, source);
        check(back, "destination", destination, format!("a node with a route back to {source} for its response"))?;
        let number = self.injection()?.count();
        self.ring.inject(source, Handed { cycle, number, flow, destination, own: Some(own) });
        Ok(number)
    }

    /// Rewrites the group register of a node: what becomes head of its transmit queue from the present cycle on is in
    /// this transmission group, and so are the responses that it makes; packets that were injected with groups keep
    /// them.
    ///
    /// # Errors
    /// A node or group that is not there.
    pub fn set_group(&mut self, node: u32, group: u8) -> Result<(), SpecError> {
        let injection = self.injection()?;
        injection.check_node(node)?;
        injection.check_group(group)?;
        self.ring.set_group(node, group);
        Ok(())
    }

    fn injection(&mut self) -> Result<&mut Injection, SpecError> {
        let allowed = "a spec with flows whose arrivals are injected";
        check(self.injection.is_some(), "flows", "none for injected packets", allowed)?;
        Ok(self.injection.as_mut().expect("it was just checked"))
    }

    /// The fates of injected packets since the last call and before the present cycle, in order of time. Events
    /// of the present cycle come with a later call, so that what is returned up to a cycle does not depend on the
    /// steps.
    pub fn take_events(&mut self) -> Vec<PacketEvent> {
        let mut taken = Vec::new();
        self.ring.take_events(self.cycle(), &mut taken);
        taken.sort_unstable();
        taken
    }

    /// Nodes in the network.
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// Cycles simulated.
    pub fn cycle(&self) -> u64 {
        self.ring.cycle() + self.skipped()
    }

    /// Cycles of periods that were not simulated.
    fn skipped(&self) -> u64 {
        self.repeated.as_ref().map_or(0, |repeated| repeated.cycles)
    }

    /// Starts all counts and histograms again from this cycle; the simulation itself goes on unchanged.
    pub fn reset_measurement(&mut self) {
        self.ring.reset_measurement();
        let cycle = self.ring.cycle();
        self.workload.iter_mut().for_each(|workload| workload.reset(cycle));
        self.repeated.iter_mut().for_each(|repeated| repeated.added = Counts::default());
        self.show();
    }

    /// All counts since the last reset.
    pub fn counts(&self) -> Counts {
        self.repeated.as_ref().map_or_else(|| self.simulated_counts(), |repeated| repeated.shown.clone())
    }

    fn simulated_counts(&self) -> Counts {
        Counts {
            flows: self.simulated_flows().map(|flow| flow.gathered(self.latency_digits)).collect(),
            nodes: self.ring.node_counters(),
            ports: self.ring.port_counters(),
            errors: self.ring.error_counters(),
            links: self.ring.link_counters(),
            activities: self.workload.iter().flat_map(|workload| workload.all_counters()).map(Copied::copied).collect(),
        }
    }

    /// Goes on as if a period of `cycles` cycles with these counts had passed so many times more. The simulation is in
    /// the same state behind each of them.
    pub fn repeat(&mut self, period: &Counts, cycles: u64, times: u64) {
        let none = Repeated { cycles: 0, added: Counts::default(), shown: Counts::default() };
        let repeated = self.repeated.get_or_insert_with(|| Box::new(none));
        repeated.cycles += cycles * times;
        // Counts are added list by list, and empty ones have no lists yet.
        if repeated.added.is_empty() {
            repeated.added = period.clone();
            repeated.added.add(period, Times::More(times - 1));
        } else {
            repeated.added.add(period, Times::More(times));
        }
        self.show();
    }

    /// A copy that shows these counts and not its own, until it goes on.
    pub fn showing(&self, counts: Counts) -> Self {
        let mut copy = self.fork();
        let cycles = self.skipped();
        copy.repeated = Some(Box::new(Repeated { cycles, added: Counts::default(), shown: counts }));
        copy
    }

    /// Adds up what is read, if periods have been repeated.
    fn show(&mut self) {
        let Some(mut repeated) = self.repeated.take() else { return };
        repeated.shown = self.simulated_counts();
        repeated.shown.add(&repeated.added, Times::More(1));
        let cycles = repeated.cycles;
        repeated.shown.activities.iter_mut().for_each(|counters| counters.postpone(cycles));
        self.repeated = Some(repeated);
    }

    /// Counts of this type since the last reset, of the activities that have them, in the order of the spec:
    /// [`EventCounters`](crate::activities::events::EventCounters), for example.
    pub fn activity_counters<C: 'static>(&self) -> Vec<&C> {
        self.all_counters().into_iter().filter_map(|counters| (counters as &dyn Any).downcast_ref()).collect()
    }

    /// Tables of the counts of each activity of a kind, such as `events`, in the order of the spec.
    pub fn activity_tables(&self, kind: &str) -> Vec<Table> {
        let kinds = self.workload.iter().flat_map(|workload| workload.kinds());
        let of_kind = kinds.zip(self.all_counters()).filter(|(each, _)| *each == kind);
        of_kind.map(|(_, counters)| counters.table()).collect()
    }

    /// Counts of each activity since the last reset, in the order of the spec.
    fn all_counters(&self) -> Vec<&dyn Counters> {
        match (&self.repeated, &self.workload) {
            (Some(repeated), _) => repeated.shown.activities.iter().map(|counters| &**counters).collect(),
            (None, Some(workload)) => workload.all_counters().collect(),
            (None, None) => Vec::new(),
        }
    }

    /// Is every activity over that takes place once? `None` where none does.
    pub fn is_complete(&self) -> Option<bool> {
        self.workload.as_ref()?.is_complete()
    }

    /// Counts of each node since the last reset.
    pub fn node_counters(&self) -> Vec<NodeCounters> {
        self.repeated.as_ref().map_or_else(|| self.ring.node_counters(), |repeated| repeated.shown.nodes.clone())
    }

    /// Counts of each flow since the last reset.
    pub fn flow_counters(&self) -> Vec<&FlowCounters> {
        match &self.repeated {
            Some(repeated) => repeated.shown.flows.iter().collect(),
            None => self.simulated_flows().collect(),
        }
    }

    /// Counts of the messages of each flow since the last reset; `None` of a flow all of whose messages are so many
    /// packets, at times that follow from its spec.
    pub fn message_counters(&self) -> Vec<Option<MessageCounters>> {
        (0..self.simulated_flows().count()).map(|flow| self.ring.message_counters(flow)).collect()
    }

    /// Counts of a flow's messages to each destination since the last reset, by the numbers of the nodes: of those that
    /// had any, where the spec has them [counted](crate::spec::MessagesSpec::by_destination).
    pub fn destination_counters(&self, flow: usize) -> Vec<DestinationCounters> {
        self.ring.destination_counters(flow)
    }

    /// Counts of each flow, those of repeated periods apart.
    fn simulated_flows(&self) -> impl Iterator<Item = &FlowCounters> {
        (0..).map_while(|flow| self.ring.flow(flow))
    }

    fn flow(&self, flow: usize) -> Option<&FlowCounters> {
        match &self.repeated {
            Some(repeated) => repeated.shown.flows.get(flow),
            None => self.ring.flow(flow),
        }
    }

    /// Counts of each link controller of each port of each switch since the last reset; none on a single ring.
    pub fn port_counters(&self) -> Vec<PortCounters> {
        self.repeated.as_ref().map_or_else(|| self.ring.port_counters(), |repeated| repeated.shown.ports.clone())
    }

    /// Errors at each node since the last reset; none on a single ring.
    pub fn error_counters(&self) -> Vec<ErrorCounters> {
        self.repeated.as_ref().map_or_else(|| self.ring.error_counters(), |repeated| repeated.shown.errors.clone())
    }

    /// Counts of each B-Link of each switch since the last reset; none on a single ring.
    pub fn link_counters(&self) -> Vec<LinkCounters> {
        self.repeated.as_ref().map_or_else(|| self.ring.link_counters(), |repeated| repeated.shown.links.clone())
    }

    /// Packets at the head of a queue, on the ring, or waiting to be sent again.
    pub fn packets_held(&self) -> usize {
        self.ring.packets_held()
    }

    /// Distribution of the latencies of these flows together, in cycles. Hosts that do not exist count as empty.
    pub fn latencies(&self, flows: impl IntoIterator<Item = usize>) -> Histogram<u32> {
        self.sum(flows, self.latency_digits, FlowCounters::add_latencies)
    }

    /// Distribution of the latencies of these flows' messages together, in cycles. Hosts that do not exist count as
    /// empty.
    pub fn message_latencies(&self, flows: impl IntoIterator<Item = usize>) -> Histogram<u32> {
        self.sum(flows, self.latency_digits, FlowCounters::add_message_latencies)
    }

    /// Distribution of the retries of these flows' packets that were accepted after some: exact up to 31, and beyond to
    /// one part in 16. [`FlowCounters::first_try_packets`] are the others. Hosts that do not exist count as empty.
    pub fn retries(&self, flows: impl IntoIterator<Item = usize>) -> Histogram<u32> {
        self.sum(flows, RETRY_DIGITS, FlowCounters::add_retries)
    }

    fn sum(
        &self,
        flows: impl IntoIterator<Item = usize>,
        digits: u8,
        add: fn(&FlowCounters, &mut Histogram<u32>),
    ) -> Histogram<u32> {
        let mut sum = new_histogram(digits);
        flows.into_iter().filter_map(|flow| self.flow(flow)).for_each(|counters| add(counters, &mut sum));
        sum
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.ring.bytes()
            + self.intake.as_ref().map_or(0, |intake| intake.heap_bytes())
            + self.workload.as_ref().map_or(0, |workload| workload.heap_bytes())
            + self.injection.as_ref().map_or(0, |injection| injection.heap_bytes())
    }
}

/// Copies, and for exploration what follows from which arrivals and losses. None of this costs a simulation anything
/// that does not use it.
impl Simulation {
    /// A copy that goes its own way from here. No observer sees it.
    pub fn fork(&self) -> Self {
        let &Self { ref ring, nodes, latency_digits, ref intake, ref workload, ref injection, ref repeated } = self;
        let (intake, workload, injection) = (intake.clone(), workload.clone(), injection.clone());
        Self { ring: ring.fork(), nodes, latency_digits, intake, workload, injection, repeated: repeated.clone() }
    }

    /// The state of the simulation, for [`Self::restore`]. Its form depends on the code of the engine and on nothing
    /// else.
    pub fn save(&self) -> Vec<u8> {
        saved(&(self.ring.save(), &self.intake, &self.workload, &self.injection))
    }

    /// Goes on from where a simulation of the same spec was saved; on one thread, and no observer sees it.
    ///
    /// # Errors
    /// The state is not one that the same engine has saved of the same spec; nothing has changed. Not every damage is
    /// found: keep a checksum beside it.
    pub fn restore(&mut self, state: &[u8]) -> Result<(), Damaged> {
        type Saved = (Vec<u8>, Option<Box<Intake>>, Option<Box<Workload>>, Option<Box<Injection>>);
        let (ring, intake, workload, injection) = read::<Saved>(state)?;
        let look = |parts: &(&Option<_>, &Option<_>, &Option<_>)| Inspection::of(parts, Bounds::ANY);
        let saved = look(&(&intake, &workload, &injection));
        let wrong = saved.differs_from(&look(&(&self.intake, &self.workload, &self.injection)));
        wrong.map_or(Ok(()), |wrong| Err(Damaged(wrong)))?;
        let ring = self.ring.restored(&ring)?;
        if let Some(workload) = &workload {
            workload.check(ring.cycle()).map_err(Damaged)?;
        }
        (self.ring, self.intake, self.workload, self.injection) = (ring, intake, workload, injection);
        Ok(())
    }

    /// A message of this flow arrives in the present cycle, whatever its own arrivals say; a full transmit queue loses
    /// it. At a host with slots it comes behind the responses that are made in this cycle. A flow that is to have no
    /// other arrivals is periodic and begins at [`MAX_CYCLES`]. Of several flows of one node, the lowest arrives first.
    ///
    /// # Panics
    /// There is no such flow.
    pub fn generate(&mut self, flow: usize) {
        self.ring.generate(flow);
    }

    /// Messages of this flow that are complete, and of which a copy is still under way on the other one of two rings.
    ///
    /// # Panics
    /// There is no such flow.
    pub fn trailing(&self, flow: usize) -> usize {
        self.ring.trailing(flow)
    }

    /// Links whose symbols may be wrong; link `k` leads to the interface of that number, ring by ring.
    pub fn lossy_links(&self) -> Vec<u16> {
        self.ring.lossy_links()
    }

    /// A symbol of the next packet or echo that comes in over this link is damaged, so that it is lost.
    ///
    /// # Panics
    /// There is no such link, or the spec has no [`ErrorsSpec`](crate::spec::ErrorsSpec).
    pub fn damage_next(&mut self, link: usize) {
        self.ring.damage_next(link);
    }

    /// Damages nothing more that [`Self::damage_next`] has named; returns whether there was something still to come.
    pub fn damage_no_more(&mut self) -> bool {
        self.ring.damage_no_more()
    }

    /// The state that the future depends on, without what has been counted: two simulations of one spec in equal states
    /// do the same from then on, if all rings have one link rate. Cycles are relative to the present one, so that a
    /// simulation may come back to a state.
    pub fn state(&mut self) -> State {
        self.state_and_moment().0
    }

    /// Returns the state with what will be counted of what is under way: see [`Moment::returns_to`].
    pub fn moment(&mut self) -> Moment {
        self.state_and_moment().1
    }

    fn state_and_moment(&mut self) -> (State, Moment) {
        match &self.workload {
            Some(workload) => self.ring.state(workload.next_number(), &**workload),
            None => self.ring.state(None, &()),
        }
    }
}
