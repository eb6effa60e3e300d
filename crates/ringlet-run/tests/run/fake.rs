//! A simulator whose deliveries are written down beforehand, to test what drives it.

use std::convert::Infallible;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use ringlet_engine::observe::{Delivered, PacketView};
use ringlet_engine::spec::NetworkSpec;
use ringlet_engine::{Histogram, Stall};
use ringlet_run::{Completed, Requests, Served, Simulator};

pub(crate) const SYMBOLS: u64 = 40;

/// Returns what is delivered in a cycle: packets of each flow, with their latency.
pub(crate) type Deliveries = Box<dyn FnMut(u64, usize) -> (u64, u64)>;

/// In cycle `t`, so many packets of each flow are delivered as `deliveries` says.
pub(crate) struct FakeSimulator {
    deliveries: Deliveries,
    served: Vec<Served>,
    latencies: Histogram<u32>,
    cycle: u64,
    stall_at: Option<u64>,
    /// Nothing of what takes place once is under way from here on.
    pub(crate) over_at: u64,
    /// Requests of a flow generated for each one served.
    pub(crate) generated_each: f64,
    /// Cycles of each step.
    pub(crate) steps: Vec<u64>,
}

impl FakeSimulator {
    pub(crate) fn new(flows: usize, deliveries: Deliveries) -> Self {
        let served = vec![Served::default(); flows];
        let latencies = Histogram::new(3).expect("three digits are allowed");
        Self {
            deliveries,
            served,
            latencies,
            cycle: 0,
            stall_at: None,
            over_at: 0,
            generated_each: 1.0,
            steps: Vec::new(),
        }
    }

    /// Packets at random, in a fiftieth of the cycles of each flow, with a latency that depends on the cycle.
    pub(crate) fn steady(flows: usize, latency: impl Fn(u64) -> u64 + 'static) -> Self {
        let mut random = Pcg64::seed_from_u64(0);
        Self::new(flows, Box::new(move |cycle, _| (u64::from(random.random::<f64>() < 0.02), latency(cycle))))
    }

    pub(crate) fn stalling_at(self, cycle: u64) -> Self {
        Self { stall_at: Some(cycle), ..self }
    }
}

impl Simulator for FakeSimulator {
    type Interrupt = Infallible;

    fn cycle(&self) -> u64 {
        self.cycle
    }

    fn advance(&mut self, cycles: u64) -> Result<Option<Stall>, Infallible> {
        self.advance_seen(cycles, &mut |_| ())
    }

    fn advance_seen(&mut self, cycles: u64, each: &mut impl FnMut(&Delivered)) -> Result<Option<Stall>, Infallible> {
        self.steps.push(cycles);
        for _ in 0..cycles {
            if self.stall_at == Some(self.cycle) {
                let detail = "no go bit".into();
                let since_cycle = self.cycle - 5;
                return Ok(Some(Stall { since_cycle, waiting_nodes: vec![0], detail, blocked: Vec::new() }));
            }
            for (flow, served) in self.served.iter_mut().enumerate() {
                let (packets, latency) = (self.deliveries)(self.cycle, flow);
                (0..packets).for_each(|_| each(&delivered(flow as u32, self.cycle, latency)));
                served.packets += packets;
                served.symbols += packets * SYMBOLS;
                served.latency_cycles += packets * latency;
                self.latencies.saturating_record_n(latency, packets as u32);
            }
            self.cycle += 1;
        }
        Ok(None)
    }

    fn reset_measurement(&mut self) {
        self.served.fill(Served::default());
        self.latencies.reset();
    }

    fn served(&self) -> impl Iterator<Item = Served> {
        self.served.iter().copied()
    }

    fn latencies(&self) -> Histogram<u32> {
        self.latencies.clone()
    }

    fn completed(&self) -> impl Iterator<Item = Completed> {
        self.served.iter().map(|served| Completed { messages: served.packets, late: 0 })
    }

    fn requests(&self) -> impl Iterator<Item = Requests> {
        self.served.iter().map(|served| Requests {
            generated: (self.generated_each * served.packets as f64) as u64,
            settled: served.packets,
        })
    }

    fn is_over(&self) -> bool {
        self.cycle >= self.over_at
    }
}

fn delivered(flow: u32, cycle: u64, latency_cycles: u64) -> Delivered {
    let packet = PacketView {
        flow,
        message: 0,
        part: 0,
        response: false,
        source: flow,
        destination: 0,
        symbols: SYMBOLS as u32,
        priority: 0,
        group: 0,
        // No packet is older than the simulation.
        generated: cycle.saturating_sub(latency_cycles),
    };
    Delivered { cycle, packet }
}

/// A flow of 40-symbol packets of a node, as JSON; `changes` take the place of its own keys.
pub(crate) fn flow(source: u32, changes: &str) -> String {
    let own = [
        ("source", source.to_string()),
        ("priority", "0".into()),
        ("arrivals", r#"{"kind": "saturated"}"#.into()),
        ("burst", "1".into()),
        ("deadline_cycles", "null".into()),
        ("sizes", "[[40, 1.0]]".into()),
        ("response_symbols", "null".into()),
        ("destinations", r#"{"kind": "uniform"}"#.into()),
        ("groups", r#"{"kind": "fixed", "group": 0}"#.into()),
    ];
    let kept = own.iter().filter(|(name, _)| !changes.contains(&format!("\"{name}\":")));
    let mut keys: Vec<String> = kept.map(|(name, value)| format!("\"{name}\": {value}")).collect();
    keys.extend((!changes.is_empty()).then(|| changes.to_string()));
    format!("{{{}}}", keys.join(", "))
}

/// A ring with these flows; not every one could be simulated.
pub(crate) fn ring(nodes: u32, priorities: u16, flows: &[String]) -> NetworkSpec {
    let text = format!(
        r#"{{"seed": 1, "nodes": {nodes}, "hop_delay": {{"common": 1, "each": null}}, "format": {{"echo_symbols": 4}},
        "flow_control": {{"protocol": "none"}},
        "queues": {{
            "priorities": {priorities}, "order": "alternate", "reservation": false,
            "receive": {{"common": {{"capacity": null, "service_cycles": 0}}, "each": null}},
            "limits": {{"common": {{
                "response_capacity": null, "transmit_capacity": null, "outstanding_limit": 64, "window": null,
                "retry": {{"strategy": "constant", "delay_cycles": 0}}}}, "each": null}}}},
        "flows": [{}], "measurement": {{"stall_cycles": 1000000, "latency_digits": 3}}}}"#,
        flows.join(", ")
    );
    NetworkSpec::from_json(&text).expect("the test's ring is allowed")
}
