//! Retry delay by the receiver: the busy echo is held back (richter1997, Section 4.6.3;
//! docs/explanation/network-model.md, "Retries").

use super::Node;
use crate::hosts::Hosts;
use crate::protocols::{FlowControl, Next};
use crate::values::{Kind, Run};

impl<P: FlowControl, const NETWORKED: bool> Node<P, NETWORKED> {
    /// The busy echo of a packet whose first symbol arrives in cycle `now` will be sent when the packet's delay is
    /// over.
    #[inline(never)]
    pub(super) fn delay_echo(&mut self, hosts: &mut Hosts, run: Run, echo_symbols: u32, now: u64) {
        let Some(network) = &mut hosts.context else { return };
        let packet = &hosts.packets[run.value];
        // One more: its sender counts this refusal only when the echo that is held back here takes effect.
        let delay = self.transmit.limits.retry.delay_after(packet.refusals.saturating_add(1));
        // The delay counts from when the echo, the packet's last symbols, would have
        // left at once (network-model.md, Section 5).
        let due = (now + u64::from(run.len - echo_symbols)).saturating_add(delay);
        let echo = hosts.packets.echo(run.value, Kind::BusyEcho, echo_symbols);
        let held = &mut network.held_echoes[usize::from(self.id())];
        let place = held.partition_point(|other| other.0 <= due);
        held.insert(place, (due, echo));
        // One call lets a whole run of equal idles pass: it must not reach beyond the cycle
        // in which this echo may follow.
        self.transmit.wake(due);
    }

    /// Returns what follows the idle of cycle `now`: before an own packet an echo that has been held back long enough.
    #[inline(never)]
    pub(super) fn with_delayed_echo(&mut self, hosts: &mut Hosts, next: Next, now: u64) -> Next {
        let Some(network) = &mut hosts.context else { return next };
        let held = &mut network.held_echoes[usize::from(self.id())];
        match (next, held.first()) {
            // Not before what may leave the bypass FIFO, but before own packets (network-model.md, Section 5).
            (Next::Nothing | Next::Head | Next::Taken(_) | Next::Hold(_), Some(&(due, echo))) if due <= now => {
                held.remove(0);
                Next::Made(echo)
            }
            _ => next,
        }
    }
}
