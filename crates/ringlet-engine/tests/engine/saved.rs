//! Property of simulations that are saved: they go on as if they had not been.

use crate::activities::{event_invariants, loop_invariants};
use crate::networks::fingerprint;
use crate::networks::random::any_network;
use crate::{random, rings};
use proptest::prelude::*;
use ringlet_engine::Simulation;
use ringlet_engine::spec::NetworkSpec;

pub(crate) fn built(spec: &NetworkSpec) -> Simulation {
    Simulation::new(spec).expect("a valid spec")
}

/// Saves after `before` cycles, and goes on with what was restored, on another number of threads.
pub(crate) fn goes_on(spec: &NetworkSpec, before: u64, cycles: u64) -> Result<(), TestCaseError> {
    let mut simulation = built(spec);
    simulation.keep_deliveries();
    simulation.advance(before);
    let saved = simulation.save();
    let mut restored = built(spec);
    restored.restore(&saved).expect("it was just saved");
    prop_assert!(saved == restored.save(), "what was restored is what was saved");
    restored.use_threads(3);
    simulation.advance(cycles);
    restored.advance(cycles);
    prop_assert_eq!(fingerprint(&simulation), fingerprint(&restored));
    prop_assert_eq!(simulation.take_deliveries(), restored.take_deliveries());
    Ok(())
}

proptest! {
    #![proptest_config(crate::cases(100))]

    /// With all protocols.
    #[test]
    fn a_saved_ring_goes_on(spec in random::network(), before in 0..5_000u64, cycles in 0..5_000u64) {
        goes_on(&spec, before, cycles)?;
    }

    #[test]
    fn a_saved_network_goes_on(spec in any_network(), before in 0..5_000u64, cycles in 0..5_000u64) {
        goes_on(&spec, before, cycles)?;
    }

    #[test]
    fn saved_plans_go_on(
        spec in prop_oneof![
            event_invariants::ring().boxed(), event_invariants::network().boxed(),
            loop_invariants::planned().boxed(),
        ],
        before in 0..5_000u64, cycles in 0..5_000u64,
    ) {
        goes_on(&spec, before, cycles)?;
    }

    /// Damage is an error or gives another state, never a panic while it is read.
    #[test]
    fn a_damaged_state_is_refused_or_read(
        spec in any_network(), at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>(),
    ) {
        let mut simulation = built(&spec);
        simulation.advance(1_000);
        let mut saved = simulation.save();
        let at = at.index(saved.len());
        saved[at] = byte;
        if cut {
            saved.truncate(at);
        }
        let restored = built(&spec).restore(&saved);
        prop_assert!(!cut || restored.is_err());
    }
}

#[test]
fn a_state_of_another_spec_is_refused() {
    let ring = |nodes| rings::ring(nodes, 1, rings::SCI, vec![rings::saturated(0, 1, 40)]);
    let saved = built(&ring(4)).save();
    let refused = built(&ring(5)).restore(&saved).expect_err("five nodes are not four");
    assert_eq!(refused.to_string(), "the saved state is damaged: 4 nodes in place of 5");
}
