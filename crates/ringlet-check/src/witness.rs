//! A counterexample, played on the engine.

use ringlet_engine::Simulation;
use ringlet_engine::record::{Recorder, Recording};

use crate::graph::{Choice, Lasso};

/// The reason why a ring that is left alone never comes to rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Messages wait, and no packet is sent.
    Deadlock,
    /// Packets are sent, and no message is delivered.
    Livelock,
    /// No message waits, and something is held for ever.
    Lost,
}

/// A simulation on its way along a lasso.
pub struct Witness<'a> {
    simulation: Simulation,
    step_cycles: u64,
    lasso: &'a Lasso,
}

impl<'a> Witness<'a> {
    pub(crate) fn new(simulation: Simulation, step_cycles: u64, lasso: &'a Lasso) -> Self {
        Self { simulation, step_cycles, lasso }
    }

    fn play(&mut self, choices: &[Choice]) {
        for &choice in choices {
            choose(&mut self.simulation, choice);
            self.simulation.advance(self.step_cycles);
        }
    }

    /// Goes to the state that the lasso comes back to, and round so many times, each of which ends in the state in
    /// which it began.
    ///
    /// # Panics
    /// One does not, which would be a mistake of the exploration.
    pub fn repeat(mut self, times: usize) -> Self {
        let lasso = self.lasso;
        self.play(&lasso.stem);
        self.simulation.reset_measurement();
        let state = self.simulation.state();
        for _ in 0..times {
            self.play(&lasso.cycle);
            assert_eq!(self.simulation.state(), state);
        }
        self
    }

    /// Messages of each flow, or transactions, that were complete since the state was reached to which the lasso comes
    /// back.
    pub fn completed(&self) -> Vec<u64> {
        self.simulation.flow_counters().iter().map(|flow| flow.host().completed_messages).collect()
    }

    /// The things that are not at rest.
    pub fn held(&mut self) -> Vec<&'static str> {
        self.simulation.state().held
    }

    /// The reason why the ring, left alone, goes round without coming to rest.
    pub fn cause(self) -> Cause {
        let choices = self.lasso.stem.iter().chain(&self.lasso.cycle);
        let generated: u64 = choices.map(|choice| u64::from(choice.generated.count_ones())).sum();
        let mut ring = self;
        let lasso = ring.lasso;
        ring.play(&lasso.stem);
        let before: u64 = ring.completed().iter().sum();
        ring.simulation.reset_measurement();
        ring.play(&lasso.cycle);
        let ports = ring.simulation.port_counters().into_iter().map(|port| port.interface);
        let mut interfaces = ring.simulation.node_counters().into_iter().chain(ports);
        let sent = interfaces.any(|one| one.link_send_symbols + one.link_retry_symbols > 0);
        match (before < generated, sent) {
            (true, false) => Cause::Deadlock,
            (true, true) => Cause::Livelock,
            (false, _) => Cause::Lost,
        }
    }

    /// Plays the lasso's stem, and its cycle until at least `cycles` cycles have passed, from the empty ring on, and
    /// records everything; returns the recording and the cycle at which it ends.
    pub fn record(self, cycles: u64) -> (Recording, u64) {
        let Self { simulation, step_cycles, lasso } = self;
        let stem = lasso.stem.len() as u64;
        let round = lasso.cycle.len() as u64;
        let wanted = cycles.div_ceil(step_cycles).saturating_sub(stem);
        let rounds = wanted.div_ceil(round).max(2);
        let end = (stem + rounds * round) * step_cycles;
        let recorder = Recorder::new(0, end);
        let mut ring = Self { simulation: simulation.recorded(recorder.clone()), step_cycles, lasso };
        ring.play(&lasso.stem);
        (0..rounds).for_each(|_| ring.play(&lasso.cycle));
        (recorder.finish(), end)
    }
}

/// Arrivals and a loss happen in the present cycle as chosen.
pub(crate) fn choose(simulation: &mut Simulation, Choice { generated, damaged }: Choice) {
    (0..u8::BITS as usize).filter(|flow| generated >> flow & 1 == 1).for_each(|flow| simulation.generate(flow));
    damaged.into_iter().for_each(|link| simulation.damage_next(link.into()));
}
