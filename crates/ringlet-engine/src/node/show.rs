//! The events of a node that are shown to an observer; without one that traces, none.

use super::{Node, Sent, Shared, State};
use crate::protocols::{FlowControl, KeepsGoBits};
use crate::queues::Entry;
use crate::results::{Activity, BypassEntry, Bypassed, Emission, Observer, Queue, Symbols};
use crate::values::{IdleStates, IdleWord, Kind, NEVER, Packet, Run};

impl<P: FlowControl, const NETWORKED: bool> Node<P, NETWORKED> {
    /// Lets an observer follow the node from its cycle `now` on, or none any more.
    pub(crate) fn show_from<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, now: u64) {
        self.transmit.population.follow(O::SEES_SYMBOLS, now);
        self.receive.population.follow(O::SEES_SYMBOLS, now);
        self.transmit.follow_filling(shared.hosts, O::SEES_SYMBOLS, now);
        if let Some(errors) = shared.hosts.errors() {
            errors.follow(self.id(), O::SEES_SYMBOLS);
        }
        if O::SEES_SYMBOLS {
            self.show_head(shared, now);
            self.show_withheld(shared, now);
            for &Entry { run, arrived, replaced } in self.bypass.iter() {
                let mut run = run;
                // It came in as the send packet that it was until it was preempted: the recording begins with that one.
                if replaced != NEVER {
                    let Packet { symbols, refusals, .. } = shared.hosts.packets[run.value];
                    run.len = symbols.into();
                    run.kind = if refusals == 0 { Kind::Send } else { Kind::Retry };
                }
                self.show_bypassed(shared, &run, arrived);
            }
            for received in self.receive.iter() {
                let arrived = received.complete - u64::from(received.symbols) - self.receive_delay_cycles();
                let view = shared.hosts.view_received(received, self.id());
                shared.observer.received(self.id().into(), arrived, view, true);
            }
        }
    }

    fn view<O: Observer>(&self, shared: &Shared<'_, P, O>, run: &Run) -> Symbols {
        let view = |packet| shared.hosts.view(packet);
        match run.kind {
            Kind::Message => P::show(run, &view),
            Kind::Idle => Symbols::Idles(shared.protocol.shown(run.value)),
            _ => run.view(view),
        }
    }

    #[inline]
    pub(super) fn show_emitted<O: Observer>(
        &self,
        shared: &mut Shared<'_, P, O>,
        run: &Run,
        cycle: u64,
        bypassed: Option<&Entry>,
    ) {
        let activity = match self.state {
            State::Pass => Activity::Pass,
            State::Ready(_) | State::Send(Sent::Head | Sent::Taken) => Activity::Send,
            State::Send(Sent::Made) => Activity::Insert,
            State::Send(Sent::Bare) => Activity::Control,
            State::Drain | State::Hold => Activity::Drain,
        };
        let bypassed = bypassed.map(|&Entry { arrived, replaced, .. }| Bypassed {
            arrived,
            replaced: (replaced != NEVER).then_some(replaced),
        });
        let symbols = self.view(shared, run);
        let node = self.id().into();
        let target =
            matches!(run.kind, Kind::Send | Kind::Retry | Kind::Echo | Kind::BusyEcho).then(|| run.target.into());
        shared.observer.emitted(&Emission { node, cycle, count: run.len, symbols, target, activity, bypassed });
    }

    #[inline]
    pub(super) fn show_bypassed<O: Observer>(&self, shared: &mut Shared<'_, P, O>, run: &Run, cycle: u64) {
        if O::SEES_SYMBOLS {
            let symbols = self.view(shared, run);
            shared.observer.bypassed(&BypassEntry { node: self.id().into(), cycle, count: run.len, symbols });
        }
    }

    #[inline]
    pub(super) fn show_head<O: Observer>(&self, shared: &mut Shared<'_, P, O>, now: u64) {
        if O::SEES_SYMBOLS {
            let head = self.transmit.head().map(|slot| shared.hosts.view(slot));
            shared.observer.head(self.id().into(), now, head);
        }
    }

    #[inline]
    pub(super) fn show_withheld<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>, now: u64) {
        if O::SEES_SYMBOLS {
            shared.observer.withheld(self.id().into(), now, self.withheld());
        }
    }

    /// Go bits that the node withholds, as a recording shows them.
    pub(crate) fn withheld(&mut self) -> IdleWord {
        self.flow_control.go_bits().map_or(0, |go| go.saved())
    }

    #[inline]
    pub(super) fn show_queues<O: Observer>(&mut self, shared: &mut Shared<'_, P, O>) {
        if O::SEES_SYMBOLS {
            let node = self.id().into();
            for (cycle, joins) in self.transmit.population.drain_log() {
                shared.observer.queued(node, Queue::Transmit, cycle, joins);
            }
            for (cycle, joins) in self.receive.population.drain_log() {
                shared.observer.queued(node, Queue::Receive, cycle, joins);
            }
            if let Some(filler) = self.transmit.filler() {
                for (cycle, joins) in filler.drain_waiting() {
                    shared.observer.queued(node, Queue::Slot, cycle, joins);
                }
                for filling in filler.drain_fillings() {
                    shared.observer.filled(node, &filling);
                }
            }
            if let Some(errors) = shared.hosts.errors() {
                for (cycle, packet, error) in errors.drain_log(self.id()) {
                    shared.observer.erred(node, cycle, packet, error);
                }
            }
        }
    }
}
