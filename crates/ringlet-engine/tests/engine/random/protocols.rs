//! Random flow control and its options.

use proptest::prelude::*;
use proptest::sample::select;
use ringlet_engine::protocols::{
    FlowControlSpec,
    dfc::DfcSpec,
    grouped::{Extension, GroupedSpec, Release},
    none::NoneSpec,
    ppq::{LateEcho, PpqSpec},
    sci::SciSpec,
    train::{TrainMode, TrainSpec},
};

use super::{Frame, optional};

fn extension() -> impl Strategy<Value = Extension> {
    select(vec![Extension::None, Extension::Passing, Extension::AfterSend, Extension::Always])
}

fn release() -> impl Strategy<Value = Release> {
    select(vec![Release::Unblocked, Release::All])
}

/// *none*, *sci*, *grouped*.
pub(crate) fn states(_: Frame) -> BoxedStrategy<FlowControlSpec> {
    let priorities = prop_oneof![3 => Just(1u8), 2 => 2..=4u8];
    let sci = (extension(), release(), priorities).prop_map(|(extension, release, priorities)| SciSpec {
        extension,
        release,
        priorities,
    });
    let grouped = (extension(), release(), 1..=16u8).prop_map(|(extension, release, groups)| GroupedSpec {
        extension,
        release,
        groups,
    });
    let strategy = prop_oneof![
        1 => Just(FlowControlSpec::None(NoneSpec {})),
        5 => sci.prop_map(FlowControlSpec::Sci),
        3 => grouped.prop_map(FlowControlSpec::Grouped),
    ];
    strategy.boxed()
}

/// A bypass FIFO for one short packet, for one of 80 bytes, or more.
fn bypass_symbols() -> impl Strategy<Value = u32> {
    prop_oneof![1 => 9..20u32, 2 => Just(42u32), 2 => 20..=160u32]
}

pub(crate) fn ppq(_: Frame) -> BoxedStrategy<FlowControlSpec> {
    let late_echo = select(vec![LateEcho::ServiceEnd, LateEcho::ServiceStart]);
    let parts = (bypass_symbols(), late_echo, optional(1..100u64), any::<bool>(), 1..=8u32);
    let ppq = parts.prop_map(|(bypass_symbols, late_echo, ageing_cycles, inheritance, event_symbols)| PpqSpec {
        bypass_symbols,
        late_echo,
        ageing_cycles,
        inheritance,
        event_symbols,
    });
    ppq.prop_map(FlowControlSpec::Ppq).boxed()
}

pub(crate) fn train(frame: Frame) -> BoxedStrategy<FlowControlSpec> {
    let mode = select(vec![TrainMode::Arbitrated, TrainMode::Switching, TrainMode::Gearshift]);
    let lengths = (bypass_symbols(), 1..8u32, 1..4u32, optional(9..300u32));
    let shifts = (mode, 0.0..0.9f64, 0.0..=1.0f64);
    let others = (0..frame.nodes, 0..20u64, 1..4u32, any::<bool>());
    let train = (lengths, shifts, others).prop_map(move |(lengths, shifts, others)| {
        let (bypass_symbols, locomotive_symbols, ticket_symbols, size) = lengths;
        let (mode, shift_up, shift_down) = shifts;
        let (ticket_master, delay_cycles, tickets_per_node, inheritance) = others;
        // On a short ring the train may be back before it has been sent.
        let train = u64::from(locomotive_symbols + tickets_per_node * ticket_symbols);
        let back = (train + 1).saturating_sub(frame.shape().around_cycles) as u32;
        TrainSpec {
            ticket_master,
            bypass_symbols: bypass_symbols + back,
            locomotive_symbols,
            ticket_symbols,
            delay_cycles,
            tickets_per_node,
            size_symbols: if mode == TrainMode::Arbitrated { size } else { Some(size.unwrap_or(200)) },
            mode,
            shift_up,
            shift_down,
            inheritance,
        }
    });
    train.prop_map(FlowControlSpec::Train).boxed()
}

pub(crate) fn dfc(frame: Frame) -> BoxedStrategy<FlowControlSpec> {
    let marks = (1..=frame.capacity.unwrap_or(5)).prop_flat_map(|high| (Just(high), 0..high));
    let control_symbols = prop_oneof![3 => Just(2u32), 1 => 1..5u32];
    let parts = (bypass_symbols(), control_symbols, marks, any::<bool>(), any::<bool>());
    let dfc = parts.prop_map(|(bypass_symbols, control_symbols, (high_water, low_water), stop_thru, fair)| DfcSpec {
        bypass_symbols,
        control_symbols,
        high_water,
        low_water,
        stop_thru,
        fair,
    });
    dfc.prop_map(FlowControlSpec::Dfc).boxed()
}
