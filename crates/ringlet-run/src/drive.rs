//! Drives a simulation: warm-up, then measurement batch by batch.

use ringlet_engine::Stall;
use ringlet_engine::observe::Delivered;

use crate::batches::{Batcher, Batches, Kept};
use crate::plan::{BATCHES, Plan, SHORTEST_BATCH_CYCLES, WARM_UP_BINS, WarmUp};
use crate::recurrence::{Recurrence, Search};
use crate::series::Series;
use crate::simulator::{Completed, Requests, Served, Simulator};
use crate::statistics::{MAX_BATCHES, MIN_BATCHES, mser5, precise_enough};

/// Shortest step, in cycles, after which it is seen whether what takes place once is over.
const LEAST_STEP: u64 = 100;

/// A run goes on for less than its length over this when what takes place once is over, or less than [`LEAST_STEP`].
const STEPS: u64 = 2000;

/// Share of the requests generated above which those that are left count as queues that grow.
const GROWING_SHARE: f64 = 0.05;

/// Requests of each flow that may be left however few were generated.
const FEW_LEFT: u64 = 10;

/// Factor by which those left increase at least, over twice the time, where queues grow without end: it is then 2.
const GROWING_FACTOR: f64 = 1.5;

/// The course of a run, besides what the simulation has counted since `measured_from`.
#[derive(Debug)]
pub struct Driven {
    /// Cycle in which the measurement began.
    pub measured_from: u64,
    /// The measured time in batches.
    pub batches: Batches,
    /// Was the warm-up long enough, as far as that can be decided?
    pub settled: bool,
    /// Was the required precision reached? `None` without one.
    pub precision_reached: Option<bool>,
    /// Did the run end since queues grow? Then the latency has no mean, and a longer run says no more of throughput.
    pub growing: bool,
    /// Stall that ended the simulation early.
    pub stall: Option<Stall>,
    /// The state to which the simulation has come back, if that was found.
    pub recurrence: Option<Recurrence>,
    /// Messages of each flow that were complete before the measurement; empty if it began at cycle 0.
    pub completed_before: Vec<Completed>,
}

/// Warms up and measures as planned, or until the simulation stalls.
///
/// After a stall during the warm-up everything since cycle 0 is what was measured.
///
/// # Errors
/// What interrupts the simulator.
pub fn drive<S: Simulator>(simulator: &mut S, series: &Series, plan: &Plan) -> Result<Driven, S::Interrupt> {
    let mut run = Drive { simulator, series, stall: None, growing: false, search: plan.recurs.map(Search::new) };
    let settled = match plan.warm_up {
        WarmUp::Auto { bin, limit } => run.warm_up(bin, limit, plan.open_ended)?,
        WarmUp::Cycles(0) => true,
        WarmUp::Cycles(cycles) => {
            run.advance(cycles)?;
            true
        }
    };
    let mut completed_before = Vec::new();
    // At cycle 0 there is nothing to discard, but the first arrivals are there already.
    let measured_from = if run.stall.is_none() { run.simulator.cycle() } else { 0 };
    if measured_from > 0 {
        completed_before = run.simulator.completed().collect();
        run.simulator.reset_measurement();
        if let (Some(search), Some(simulation)) = (&mut run.search, run.simulator.engine()) {
            search.reset(simulation);
        }
    }
    let mut batcher = Batcher::new(series, Kept::All, measured_from);
    batcher.close(run.simulator);
    let precision_reached = match plan.precision {
        None => {
            run.measure_duration(&mut batcher, plan.measured)?;
            if plan.until_over {
                run.measure_the_rest(&mut batcher, measured_from, plan.most)?;
            }
            None
        }
        Some(precision) => Some(run.measure_to_precision(&mut batcher, measured_from, plan, precision)?),
    };
    let (stall, growing, batches) = (run.stall, run.growing, batcher.into_batches());
    let search = run.search.filter(|_| stall.is_none());
    let recurrence = search.and_then(|search| search.found(run.simulator.engine()?));
    let settled = settled || recurrence.is_some();
    Ok(Driven { measured_from, batches, settled, precision_reached, growing, stall, recurrence, completed_before })
}

struct Drive<'a, S> {
    simulator: &'a mut S,
    series: &'a Series,
    stall: Option<Stall>,
    growing: bool,
    /// Search for a state to which the simulation comes back, while it goes on or after it was found.
    search: Option<Search>,
}

impl<S: Simulator> Drive<'_, S> {
    /// Do queues grow without end? `left` is how many requests were left over half the time ago, and becomes how many
    /// there are now; saturated flows, which always have one, do not count.
    fn queues_grow(&self, left: &mut u64) -> bool {
        let open = self.simulator.requests().enumerate().filter(|&(flow, _)| !self.series.is_saturated(flow));
        let mut all = Requests::default();
        let mut few = 0;
        for (_, requests) in open {
            all.generated += requests.generated;
            all.settled += requests.settled;
            few += FEW_LEFT;
        }
        let before = std::mem::replace(left, all.generated.saturating_sub(all.settled));
        let many = *left > few && *left as f64 > GROWING_SHARE * all.generated as f64;
        many && before > 0 && *left as f64 >= GROWING_FACTOR * before as f64
    }

    fn advance(&mut self, cycles: u64) -> Result<(), S::Interrupt> {
        let end = self.simulator.cycle().saturating_add(cycles);
        while self.goes_on(end) {
            if self.search.as_ref().is_some_and(Search::listens) {
                if !self.step(end, &mut |_| ())? {
                    break;
                }
                continue;
            }
            let left = end - self.simulator.cycle();
            if let (Some(search), Some(simulation)) = (&self.search, self.simulator.engine()) {
                search.leap(simulation, left);
            }
            let now = self.simulator.cycle();
            let cycles = self.stop(end) - now;
            self.stall = self.simulator.advance(cycles)?;
            self.look();
            // A network ends earlier than a ring, since it counts picoseconds.
            if cycles > 0 && self.simulator.cycle() == now {
                break;
            }
        }
        Ok(())
    }

    /// Advances by so many cycles; `each` sees every delivery before the cycle that is reached.
    fn advance_seen(&mut self, cycles: u64, each: &mut impl FnMut(&Delivered)) -> Result<(), S::Interrupt> {
        let end = self.simulator.cycle().saturating_add(cycles);
        while self.goes_on(end) && self.step(end, each)? {}
        Ok(())
    }

    fn goes_on(&self, end: u64) -> bool {
        self.stall.is_none() && self.simulator.cycle() < end
    }

    /// The end, or the cycle before it in which the search looks at the simulation.
    fn stop(&self, end: u64) -> u64 {
        self.search.as_ref().map_or(end, |search| search.stop().min(end))
    }

    /// Goes on to the end or until the search looks at the simulation; `each` sees what is delivered. Returns whether
    /// it went on.
    fn step(&mut self, end: u64, each: &mut impl FnMut(&Delivered)) -> Result<bool, S::Interrupt> {
        let now = self.simulator.cycle();
        let mut search = self.search.as_mut();
        let cycles = search.as_ref().map_or(end, |search| search.piece(now).min(end)) - now;
        search = search.filter(|search| search.listens());
        self.stall = self.simulator.advance_seen(cycles, &mut |delivered| {
            search.iter_mut().for_each(|search| search.note(delivered));
            each(delivered);
        })?;
        self.look();
        Ok(cycles == 0 || self.simulator.cycle() > now)
    }

    /// The search looks at the simulation, if it is time for it.
    fn look(&mut self) {
        let now = self.simulator.cycle();
        let Some(search) = &mut self.search else { return };
        if search.stop() <= now && self.stall.is_none() {
            let goes_on = self.simulator.engine().is_some_and(|simulation| search.look(simulation));
            if !goes_on {
                self.search = None;
            }
        }
    }

    fn record(&mut self, batcher: &mut Batcher<'_>, cycles: u64) -> Result<(), S::Interrupt> {
        self.advance(cycles)?;
        batcher.close(self.simulator);
        Ok(())
    }

    /// Advances until the transient is over; returns whether it is.
    ///
    /// Each time the warm-up doubles its bins do, too, so that their number, and with it the cost, stays the same. They
    /// are short, and a step costs the more the shorter it is: many of them are one step, whose deliveries are put into
    /// the bins of their cycles. A run that nothing limits ends it where queues grow: there is no end of the transient.
    fn warm_up(&mut self, bin: u64, limit: u64, open_ended: bool) -> Result<bool, S::Interrupt> {
        if self.series.flows() == 0 {
            return Ok(true);
        }
        let mut batcher = Batcher::new(self.series, Kept::Total, 0);
        let (mut length, mut bins) = (bin, WARM_UP_BINS);
        let mut served = vec![Served::default(); self.series.flows()];
        let mut left = 0;
        while (batcher.count() as u64) < bins {
            let mut end = batcher.cycle() + length;
            let cycles = (bins - batcher.count() as u64) * length;
            let series = self.series;
            self.advance_seen(cycles, &mut |delivered| {
                while delivered.cycle >= end {
                    batcher.add(end, served.iter().copied());
                    end += length;
                }
                series.count_delivery(delivered, &mut served[delivered.packet.flow as usize]);
            })?;
            if self.stall.is_some() {
                return Ok(true);
            }
            while (batcher.count() as u64) < bins {
                batcher.add(batcher.cycle() + length, served.iter().copied());
            }
            if is_settled(batcher.batches()) {
                return Ok(true);
            }
            if open_ended && self.queues_grow(&mut left) {
                return Ok(false);
            }
            length *= 2;
            bins = WARM_UP_BINS.min(limit / length);
            batcher.collapse(WARM_UP_BINS as usize / 2);
        }
        Ok(false)
    }

    /// Measures `cycles` cycles in equal batches, the last of which takes the remainder.
    fn measure_duration(&mut self, batcher: &mut Batcher<'_>, cycles: u64) -> Result<(), S::Interrupt> {
        let length = (cycles / BATCHES).max(1);
        let count = BATCHES.min(cycles);
        for batch in 1..=count {
            if self.stall.is_some() {
                break;
            }
            self.record(batcher, if batch < count { length } else { cycles - length * (count - 1) })?;
        }
        Ok(())
    }

    /// Measures until what takes place once is over, or the most that is measured, in batches of the length of those
    /// before.
    ///
    /// Each time 40 batches are full, pairs are merged and the batches to come are twice as long.
    fn measure_the_rest(
        &mut self,
        batcher: &mut Batcher<'_>,
        measured_from: u64,
        most: u64,
    ) -> Result<(), S::Interrupt> {
        let mut length = ((self.simulator.cycle() - measured_from) / BATCHES).max(1);
        let mut passed = 0;
        while self.stall.is_none() && !self.simulator.is_over() && self.simulator.cycle() - measured_from < most {
            // In short steps, so that the run ends soon after the trace.
            let step = LEAST_STEP.max(self.simulator.cycle() / STEPS).min((length - passed).max(1));
            self.advance(step)?;
            passed += step;
            if passed < length {
                continue;
            }
            batcher.close(self.simulator);
            passed = 0;
            if batcher.count() >= MAX_BATCHES {
                batcher.collapse(MIN_BATCHES);
                length *= 2;
            }
        }
        batcher.close(self.simulator);
        Ok(())
    }

    /// Measures batch by batch until total throughput and mean latency are precise; returns whether they are.
    ///
    /// Each time 40 batches are full, pairs are merged and the batches to come are twice as long. It checks only then,
    /// at the first 20, and at the end: a check after every batch stops at the first interval that is narrow by chance,
    /// and such a one covers the mean less often than it says (docs/explanation/statistics.md). Where queues grow the
    /// mean latency is never precise: a run that nothing limits ends once the throughput is.
    fn measure_to_precision(
        &mut self,
        batcher: &mut Batcher<'_>,
        measured_from: u64,
        plan: &Plan,
        precision: f64,
    ) -> Result<bool, S::Interrupt> {
        let most = plan.measured;
        let mut left = 0;
        // A warm-up is as long as the correlations of the series, or longer: a twentieth of it is a first guess of a
        // batch.
        let length = SHORTEST_BATCH_CYCLES.max(measured_from / MIN_BATCHES as u64);
        let mut length = length.min(most / MIN_BATCHES as u64).max(1);
        let total = batcher.total();
        let mut doubled = false;
        while self.stall.is_none() {
            let measured = self.simulator.cycle() - measured_from;
            if measured >= most {
                break;
            }
            self.record(batcher, length.min(most - measured))?;
            if self.search.as_ref().is_some_and(Search::is_over) {
                return Ok(true);
            }
            let count = batcher.count();
            let over = self.simulator.cycle() - measured_from >= most;
            if over || count == MAX_BATCHES || (count == MIN_BATCHES && !doubled) {
                let batches = batcher.batches();
                let carried = precise_enough(&batches.throughput(total), precision);
                if carried && precise_enough(&batches.latency(total), precision) {
                    return Ok(true);
                }
                let grow = self.queues_grow(&mut left);
                if plan.open_ended && carried && grow {
                    self.growing = true;
                    break;
                }
                if self.series.flows() == 0 {
                    break;
                }
            }
            if count == MAX_BATCHES {
                batcher.collapse(MIN_BATCHES);
                length *= 2;
                doubled = true;
            }
        }
        Ok(false)
    }
}

/// Does MSER-5 cut total throughput and mean latency within their first half?
fn is_settled(bins: &Batches) -> bool {
    let (words, packets, cycles) = (bins.payload_symbols(0), bins.delivered_packets(0), bins.latency_cycles(0));
    let throughput: Vec<f64> = words.iter().zip(&bins.cycles).map(|(words, cycles)| words / cycles).collect();
    // Without a packet there is no latency: NaN.
    let latency: Vec<f64> = cycles.iter().zip(packets).map(|(cycles, packets)| cycles / packets).collect();
    mser5(&throughput).settled && mser5(&latency).settled
}
