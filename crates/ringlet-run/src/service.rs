//! The service over time of a run in which parts fail: what is delivered when, and what comes through again.

use ringlet_engine::observe::Delivered;

use crate::series::Series;
use crate::simulator::Served;

/// Length of a bin at the beginning, in cycles.
const FIRST_BIN_CYCLES: u64 = 64;

/// Bins at most: then pairs of them become one.
const MOST_BINS: usize = 2048;

/// A failure, and whom it concerns.
#[derive(Debug, Clone)]
pub struct Failure {
    /// Cycle of it.
    pub cycle: u64,
    /// Bits of each pair of a source and a destination, in the order of sources: had its packets to take another way?
    /// The first bit of a byte is the highest. Empty: it is not known.
    pub affected: Vec<u8>,
    /// Cycle of the first delivery of an affected pair's request that was generated after the failure.
    pub first_delivery: Option<u64>,
}

/// Data delivered in each bin of time, from cycle 0 on.
#[derive(Debug, Clone)]
pub struct Service {
    /// Length of a bin, in cycles.
    pub bin_cycles: u64,
    /// Words of data delivered in each.
    pub words: Vec<f64>,
    /// Failures of parts.
    pub failures: Vec<Failure>,
    nodes: u32,
}

impl Service {
    /// Builds the service of a network of `nodes` nodes.
    pub fn new(failures: Vec<Failure>, nodes: u32) -> Self {
        Self { bin_cycles: FIRST_BIN_CYCLES, words: Vec::new(), failures, nodes }
    }

    /// Counts a delivery.
    pub fn count(&mut self, delivered: &Delivered, series: &Series) {
        let &Delivered { cycle, packet } = delivered;
        while cycle / self.bin_cycles >= MOST_BINS as u64 {
            self.words = self.words.chunks(2).map(|pair| pair.iter().sum()).collect();
            self.bin_cycles *= 2;
        }
        let bin = (cycle / self.bin_cycles) as usize;
        if self.words.len() <= bin {
            self.words.resize(bin + 1, 0.0);
        }
        let mut served = Served::default();
        series.count_delivery(delivered, &mut served);
        self.words[bin] += series.payload_symbols(packet.flow as usize, &served);
        if packet.response {
            return;
        }
        let pair = packet.source as usize * self.nodes as usize + packet.destination as usize;
        let concerns = |failure: &&mut Failure| {
            failure.first_delivery.is_none()
                // One from before the failure may have been on its old way beyond the failed part.
                && packet.generated > failure.cycle
                && failure.affected.get(pair / 8).is_some_and(|byte| byte & (0x80 >> (pair % 8)) != 0)
        };
        self.failures.iter_mut().filter(concerns).for_each(|failure| failure.first_delivery = Some(cycle));
    }
}

#[cfg(test)]
mod tests {
    use ringlet_engine::Simulation;
    use ringlet_engine::observe::PacketView;
    use ringlet_engine::protocols::none::NoneSpec;
    use ringlet_engine::spec::{ArrivalSpec, DestinationSpec, FlowSpec, NetworkSpec};

    use super::*;
    use crate::series::Payload;

    fn series() -> Series {
        let flow = FlowSpec::new(0, DestinationSpec::Uniform {}, ArrivalSpec::Saturated {}, 40);
        let spec = NetworkSpec::ring(4, NoneSpec {}, vec![flow]);
        Simulation::new(&spec).expect("valid");
        Series::new(&spec, &[Payload { bytes_each: Some(64.0), in_response: false }])
    }

    fn delivered(cycle: u64, generated: u64, (source, destination): (u32, u32)) -> Delivered {
        let packet = PacketView {
            flow: 0,
            message: 0,
            part: 0,
            response: false,
            source,
            destination,
            symbols: 40,
            priority: 0,
            group: 0,
            generated,
        };
        Delivered { cycle, packet }
    }

    /// Each word is in the bin of its cycle, however often bins are joined.
    #[test]
    fn bins_cover_the_whole_run() {
        let (series, mut service) = (series(), Service::new(Vec::new(), 4));
        let cycles: Vec<u64> = (0..3_000).map(|number| number * 401).collect();
        cycles.iter().for_each(|&cycle| service.count(&delivered(cycle, 0, (0, 1)), &series));
        assert!(service.words.len() <= MOST_BINS && service.words.len() > MOST_BINS / 4);
        let in_bin = |bin: usize| cycles.iter().filter(|&&cycle| (cycle / service.bin_cycles) as usize == bin).count();
        for (bin, &words) in service.words.iter().enumerate() {
            assert_eq!(words, 32.0 * in_bin(bin) as f64);
        }
    }

    /// Service is back with the first packet of an affected pair that was generated after the failure.
    #[test]
    fn a_packet_from_before_the_failure_is_no_sign_of_service() {
        // The pair of nodes 1 and 2, of four nodes, is pair 6.
        let failure = Failure { cycle: 100, affected: vec![0b0000_0010, 0], first_delivery: None };
        let (series, mut service) = (series(), Service::new(vec![failure], 4));
        for (cycle, generated, pair) in [(150, 90, (1, 2)), (160, 120, (2, 1)), (170, 120, (1, 2)), (180, 130, (1, 2))]
        {
            service.count(&delivered(cycle, generated, pair), &series);
        }
        assert_eq!(service.failures[0].first_delivery, Some(170));
    }
}
