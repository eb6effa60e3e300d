//! Whose counts are added up.

use crate::fake::{flow, ring};
use ringlet_run::{Payload, Series, Served};

const POISSON: &str = r#""arrivals": {"kind": "poisson", "rate": 0.01}"#;

fn series(nodes: u32, priorities: u16, flows: &[String]) -> Series {
    Series::new(&ring(nodes, priorities, flows), &vec![Payload::default(); flows.len()])
}

fn of_priority(source: u32, priority: u8) -> String {
    flow(source, &format!("\"priority\": {priority}"))
}

#[test]
fn series_are_nodes_then_priorities_then_the_total() {
    let series = series(3, 2, &[of_priority(2, 1), flow(0, ""), flow(2, "")]);
    assert_eq!(series.sums(&[1.0, 10.0, 100.0]), [10.0, 0.0, 101.0, 110.0, 1.0, 111.0]);
    assert_eq!(series.members(), [vec![1], vec![], vec![0, 2], vec![1, 2], vec![0], vec![0, 1, 2]]);
}

#[test]
fn a_single_priority_has_no_series_of_its_own() {
    let series = series(2, 1, &[flow(0, ""), flow(1, "")]);
    assert_eq!(series.sums(&[1.0, 2.0]), [1.0, 2.0, 3.0]);
    assert_eq!(series.members(), [vec![0], vec![1], vec![0, 1]]);
}

#[test]
fn of_many_levels_only_those_in_use_are_reported() {
    let series = series(2, 256, &[of_priority(0, 200), of_priority(1, 7), of_priority(1, 200)]);
    assert_eq!(series.priorities(), [7, 200]);
    assert_eq!(series.sums(&[1.0, 10.0, 100.0]), [1.0, 110.0, 10.0, 101.0, 111.0]);
    assert_eq!(series.members(), [vec![0], vec![1, 2], vec![1], vec![0, 2], vec![0, 1, 2]]);
    assert_eq!(series.offered_bytes([0, 0, 0].into_iter(), 1000), [2000.0, 2000.0, 2000.0, 4000.0, 4000.0]);
}

#[test]
fn one_priority_of_many_levels_has_no_series_of_its_own() {
    let series = series(2, 256, &[of_priority(0, 7), of_priority(1, 7)]);
    assert!(series.priorities().is_empty());
    assert_eq!(series.count(), 3);
}

#[test]
fn few_levels_are_all_reported() {
    assert_eq!(series(2, 4, &[flow(0, "")]).priorities(), [0, 1, 2, 3]);
}

#[test]
fn data_is_counted_in_the_packet_that_carries_it() {
    for framing in [0, 1] {
        let reads = flow(0, &format!(r#""sizes": [[{}, 1.0]], "response_symbols": {}"#, 8 + framing, 40 + framing));
        let mut spec = ring(2, 1, &[reads, flow(1, "")]);
        spec.format.echo_symbols += framing;
        let framing = u64::from(framing);
        let symbols = 7 * (8 + framing) + 5 * (40 + framing);
        let served = Served { packets: 12, symbols, responses: 5, ..Served::default() };
        for (in_response, words) in [(true, 5.0 * 32.0), (false, 7.0 * 32.0)] {
            let series = Series::new(&spec, &[Payload { bytes_each: Some(64.0), in_response }, Payload::default()]);
            assert_eq!(series.payload_symbols(0, &served), words);
            let bare = Served { packets: 3, symbols: 3 * (40 + framing), ..Served::default() };
            assert_eq!(series.payload_symbols(1, &bare), 3.0 * 40.0);
        }
    }
}

#[test]
fn offered_load_is_data() {
    let payload = Payload { bytes_each: Some(64.0), in_response: false };
    let series = Series::new(&ring(1, 1, &[flow(0, POISSON)]), &[payload]);
    assert_eq!(series.offered_bytes([10].into_iter(), 1000), [640.0, 640.0]);
}

#[test]
fn offered_load_is_what_was_generated_in_mean_bytes() {
    let mixed = format!(r#"{POISSON}, "sizes": [[40, 0.4], [8, 0.6]]"#);
    let offered = series(2, 1, &[flow(0, &mixed), flow(1, POISSON)]).offered_bytes([10, 3].into_iter(), 1000);
    for (offered, expected) in offered.iter().zip([416.0, 240.0, 656.0]) {
        assert!((offered - expected).abs() < 1e-9);
    }
}

#[test]
fn a_saturated_node_offers_the_link_rate_once() {
    let series = series(2, 1, &[flow(0, ""), flow(0, ""), flow(1, POISSON)]);
    assert_eq!(series.offered_bytes([500, 2, 5].into_iter(), 1000), [2000.0, 400.0, 2400.0]);
}

#[test]
fn extremes_are_those_of_the_flows_that_have_a_value() {
    let series = series(2, 2, &[flow(0, ""), of_priority(0, 1), flow(1, "")]);
    let least = series.extremes([Some(5), Some(1), None].into_iter(), u64::min);
    assert_eq!(least, [Some(1), None, Some(5), Some(1), Some(1)]);
    let most = series.extremes([Some(9), Some(3), None].into_iter(), u64::max);
    assert_eq!(most, [Some(9), None, Some(9), Some(3), Some(9)]);
}

#[test]
fn a_ring_without_flows_has_empty_series() {
    let series = series(2, 1, &[]);
    assert_eq!(series.sums(&[]), [0.0; 3]);
    assert_eq!(series.offered_bytes(std::iter::empty(), 10), [0.0; 3]);
    assert!(series.members().iter().all(Vec::is_empty));
}
