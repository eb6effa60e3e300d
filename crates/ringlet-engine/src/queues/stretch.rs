//! The sum of what a node has emitted, for the nodes that it only passes.

use crate::values::{ByKind, IdleWord, Kind, Run};

/// The sum of the runs that come to a node, as far as a node with nothing to do depends on them.
#[derive(Debug, Default, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Stretch {
    /// Symbols.
    pub(crate) len: u64,
    /// Symbols up to the end of the last idle, or the first of the last packet: what may not be interrupted.
    pub(crate) decided: u64,
    /// State of the last idles.
    pub(crate) last_idle: Option<IdleWord>,
    pub(crate) last_packet: Option<Kind>,
    /// Symbols of packets, as they are counted.
    pub(crate) symbols: ByKind,
    /// Nodes for which there may be packets: a bit for each of those with equal numbers modulo 64.
    targets: u64,
}

impl Stretch {
    pub(crate) fn of(runs: &[Run]) -> Self {
        let mut stretch = Self::default();
        for run in runs {
            let begin = stretch.len;
            stretch.len += u64::from(run.len);
            match run.kind {
                Kind::Idle => {
                    stretch.decided = stretch.len;
                    stretch.last_idle = Some(run.value);
                }
                Kind::Send | Kind::Retry | Kind::Echo | Kind::BusyEcho => {
                    stretch.decided = begin + 1;
                    stretch.last_packet = Some(run.kind);
                    stretch.symbols[run.kind.place()] += u64::from(run.len);
                    stretch.targets |= 1 << (run.target % 64);
                }
                // Every node may act on it.
                _ => stretch.targets = u64::MAX,
            }
        }
        stretch
    }

    /// May there be a packet for this node?
    #[inline]
    pub(crate) fn may_be_for(&self, node: u16) -> bool {
        self.targets >> (node % 64) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(kind: Kind, len: u32, target: u16) -> Run {
        Run { len, value: 0, target, kind, group: 0 }
    }

    #[test]
    fn a_stretch_is_the_sum_of_its_runs() {
        let echo = packet(Kind::Echo, 4, 70);
        let stretch = Stretch::of(&[Run::idles(2, 1), packet(Kind::Send, 40, 3), Run::idles(1, 0), echo]);
        assert_eq!((stretch.len, stretch.last_idle, stretch.last_packet), (47, Some(0), Some(Kind::Echo)));
        assert_eq!(stretch.symbols, [40, 0, 4, 0]);
        // A packet that has begun may go on while something happens.
        assert_eq!(stretch.decided, 44);
        assert_eq!(Stretch::of(&[echo, Run::idles(3, 1)]).decided, 7);
    }

    #[test]
    fn a_stretch_may_be_for_the_targets_of_its_packets_and_for_every_node_with_a_message() {
        let stretch = Stretch::of(&[packet(Kind::Send, 40, 3), packet(Kind::Echo, 4, 70)]);
        assert!([3, 70, 6, 67].into_iter().all(|node| stretch.may_be_for(node)));
        assert!([0, 4, 5, 71].into_iter().all(|node| !stretch.may_be_for(node)));
        assert!(!Stretch::of(&[Run::idles(5, 1)]).may_be_for(0));
        assert!((0..70).all(|node| Stretch::of(&[Run::message(2, 0, 0)]).may_be_for(node)));
    }
}
