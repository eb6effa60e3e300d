//! Packets that cannot be injected: each is refused with what is wrong, and leaves the simulation as it was.

use super::{at, door, quiet_ring};
use crate::networks::{KIND, network, node, port, ring, step, to};
use crate::rings;
use ringlet_engine::Simulation;
use ringlet_engine::injection::InjectedPacket;
use ringlet_engine::protocols::FlowControlSpec;
use ringlet_engine::protocols::slotted_ring::SlottedRingSpec;
use ringlet_engine::spec::{ArrivalSpec, FlowSpec, GroupSpec};

fn refused(simulation: &mut Simulation, packet: &InjectedPacket) -> String {
    simulation.inject(packet).expect_err("it cannot be injected").to_string()
}

#[test]
fn a_packet_says_what_is_wrong_with_it() {
    let mut simulation = Simulation::new(&quiet_ring()).expect("a valid spec");
    simulation.advance(200);
    let good = at(200, 0, 1, 8);
    let cases = [
        (InjectedPacket { source: 4, ..good }, "source: 4 is not allowed; a node below 4"),
        (InjectedPacket { destination: 4, ..good }, "destination: 4 is not allowed; a node below 4 other than"),
        (InjectedPacket { destination: 0, ..good }, "destination: 0 is not allowed; a node below 4 other than"),
        (InjectedPacket { symbols: 7, ..good }, "symbols: 7 is not allowed; 8 to 65408 symbols"),
        (InjectedPacket { symbols: 70_000, ..good }, "symbols: 70000 is not allowed; 8 to 65408 symbols"),
        (
            InjectedPacket { response_symbols: Some(0), ..good },
            "response_symbols: 0 is not allowed; 8 to 65408 symbols",
        ),
        (InjectedPacket { priority: 4, ..good }, "priority: 4 is not allowed; at most 3"),
        (InjectedPacket { group: Some(3), ..good }, "group: 3 is not allowed; a group below 3"),
        (InjectedPacket { cycle: 199, ..good }, "cycle: 199 is not allowed; the present cycle, 200, or a later one"),
        (InjectedPacket { cycle: 1 << 53, ..good }, "cycle: 9007199254740992 is not allowed; the present cycle"),
    ];
    for (packet, said) in cases {
        let message = refused(&mut simulation, &packet);
        assert!(message.starts_with(said), "{message}");
    }
    assert_eq!(simulation.inject(&good), Ok(0), "nothing was injected before");
}

#[test]
fn a_spec_without_doors_takes_no_packets() {
    let spec = rings::ring(4, 2, rings::SCI, Vec::new());
    let mut simulation = Simulation::new(&spec).expect("a valid spec");
    let message = refused(&mut simulation, &at(0, 0, 1, 8));
    assert_eq!(
        message,
        "flows: none for injected packets is not allowed; a spec with flows whose arrivals are injected"
    );
}

#[test]
fn a_node_has_one_door_of_packets_that_say_their_lengths() {
    let mut spec = quiet_ring();
    spec.flows.push(door(&spec, 2, GroupSpec::Fixed { group: 0 }));
    let message = |spec: &_| Simulation::new(spec).err().expect("it is refused").to_string();
    let second = "flows[4].source: 2 is not allowed; a node without another flow of injected packets";
    assert_eq!(message(&spec), second);
    spec.flows.pop();
    spec.flows[1].sizes = vec![(40, 1.0)];
    assert!(message(&spec).starts_with("flows[1].sizes: [(40, 1.0)] is not allowed; [[8, 1.0]]"));
}

/// What a flow allows may be more than its ring has room for, which is known ring by ring.
#[test]
fn a_packet_is_held_against_its_flow_and_against_its_ring() {
    let slots = SlottedRingSpec { room_symbols: 41, ..SlottedRingSpec::EXAMPLE };
    let allowed = |room: FlowControlSpec, most: u32| {
        let mut spec = rings::ring(4, 20, room, Vec::new());
        spec.flows = vec![FlowSpec::new(0, to(1), ArrivalSpec::Injected { most_symbols: Some(most) }, 8)];
        let mut simulation = Simulation::new(&spec).expect("a valid spec");
        refused(&mut simulation, &at(0, 0, 1, 1_000))
    };
    let said = |most| format!("symbols: 1000 is not allowed; 8 to {most} symbols");
    assert_eq!(allowed(FlowControlSpec::SlottedRing(slots), 99), said(40), "a slot holds less");
    assert_eq!(allowed(FlowControlSpec::SlottedRing(slots), 30), said(30), "the flow allows less");
    assert_eq!(allowed(rings::SCI, 99), said(99), "only the flow says how much");
}

/// Two rings; packets from the first come to the second, and none back.
#[test]
fn a_packet_needs_a_route_and_its_response_one_back() {
    let rings = vec![
        ring(vec![node(0), node(1), port(0, 0)], vec![step(0, 2, 1)]),
        ring(vec![node(2), port(0, 1)], Vec::new()),
    ];
    let mut spec = network(rings, KIND, &[2], Vec::new());
    spec.flows = (0..3).map(|node| door(&spec, node, GroupSpec::Fixed { group: 0 })).collect();
    let mut simulation = Simulation::new(&spec).expect("a valid spec");
    assert_eq!(
        refused(&mut simulation, &at(0, 2, 0, 8)),
        "destination: 0 is not allowed; a node to which there is a route from 2"
    );
    let read = InjectedPacket { response_symbols: Some(40), ..at(0, 0, 2, 8) };
    assert_eq!(
        refused(&mut simulation, &read),
        "destination: 2 is not allowed; a node with a route back to 0 for its response"
    );
    simulation.inject(&at(0, 0, 2, 8)).expect("there is a way");
}
