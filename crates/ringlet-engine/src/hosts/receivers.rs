//! The receivers of packets that have several, on one ring.

use crate::spec::{FlowSpec, StrippedBy};
use crate::values::Packet;

/// The receivers on a ring of the packets of each flow that has several.
#[derive(Debug, Clone)]
pub(crate) struct Receivers {
    /// Group of each flow, by its number on the ring; `None`: its packets have one receiver.
    each: Box<[Option<Group>]>,
}

/// The receivers of a flow's packets.
#[derive(Debug, Clone)]
struct Group {
    /// Place of the source.
    source: u16,
    /// Place that takes the packets off the ring.
    stripped_at: u16,
    /// Number of the flow on the ring that counts what the receiver at each place takes; [`NONE`]: it is no receiver.
    flows: Box<[u32]>,
}

/// Number of no flow.
const NONE: u32 = u32::MAX;

impl Receivers {
    /// The receivers on a ring of so many places, if a flow there has several, on this ring or on another one of its
    /// stations. `flows`: of the spec; `own`: which of them start on the ring, by their numbers there; `leads`: does
    /// the ring lead from a source to a destination? `place`: of a node.
    pub(crate) fn of(
        flows: &[FlowSpec],
        own: &[u32],
        places: usize,
        leads: impl Fn(u32, u32) -> bool,
        place: impl Fn(u32) -> u16,
        stripped_by: StrippedBy,
    ) -> Option<Box<Self>> {
        let mut locals = vec![NONE; flows.len()];
        (0u32..).zip(own).for_each(|(local, &number)| locals[number as usize] = local);
        let mut each: Box<[Option<Group>]> = vec![None; own.len()].into();
        for (number, flow) in flows.iter().enumerate() {
            let Some(original) = flow.copied().map(|of| of as usize) else { continue };
            let Some(group) = each.get_mut(locals[original] as usize) else { continue };
            let group = group.get_or_insert_with(|| {
                let source = place(flow.source);
                Group { source, stripped_at: source, flows: vec![NONE; places].into() }
            });
            for number in [original, number] {
                let node = flows[number].first_destination();
                if leads(flow.source, node) {
                    group.flows[usize::from(place(node))] = locals[number];
                }
            }
        }
        for group in each.iter_mut().flatten() {
            let last = group.from(group.source).last().expect("it has several receivers").0;
            group.stripped_at = if stripped_by == StrippedBy::Source { group.source } else { last };
        }
        each.iter().any(Option::is_some).then(|| Box::new(Self { each }))
    }

    fn group(&self, flow: u32) -> Option<&Group> {
        self.each.get(flow as usize)?.as_ref()
    }

    /// Sends a packet that has been drawn to the place that takes it off the ring, if it has several receivers.
    pub(crate) fn address(&self, packet: &mut Packet) {
        if let Some(group) = self.group(packet.flow) {
            packet.destination = group.stripped_at;
        }
    }

    /// Have packets of a flow several receivers?
    pub(crate) fn are_several(&self, flow: u32) -> bool {
        self.group(flow).is_some()
    }

    /// The flow that counts what the receiver at a place takes of a flow's packets, if it is one.
    #[inline]
    pub(crate) fn flow_at(&self, flow: u32, place: u16) -> Option<u32> {
        let taken = self.group(flow)?.flows[usize::from(place)];
        (taken != NONE).then_some(taken)
    }

    /// The flows that count what receivers do not get of a flow's packet that is lost on the link to a place.
    pub(crate) fn beyond(&self, flow: u32, place: u16) -> impl Iterator<Item = u32> + '_ {
        // Lost on the link to its source, a packet has passed all receivers.
        let group = self.group(flow).filter(|group| group.source != place);
        group.into_iter().flat_map(move |group| group.from(place)).map(|(_, taken)| taken)
    }

    /// The further flows that count what receivers take of a flow's packets.
    pub(crate) fn copies(&self, flow: u32) -> impl Iterator<Item = u32> + '_ {
        let all = self.group(flow).into_iter().flat_map(|group| &group.flows);
        all.copied().filter(move |&taken| taken != NONE && taken != flow)
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let groups = self.each.iter().flatten().map(|group| size_of_val(&*group.flows)).sum::<usize>();
        size_of_val(&*self.each) + groups
    }
}

impl Group {
    /// The receivers from a place on to the source, with the flows that count what they take.
    fn from(&self, place: u16) -> impl Iterator<Item = (u16, u32)> + '_ {
        let places = self.flows.len();
        let end = usize::from(self.source) + if self.source <= place { places } else { 0 };
        let way = (usize::from(place)..end).map(move |at| at % places);
        way.map(|at| (at as u16, self.flows[at])).filter(|&(_, taken)| taken != NONE)
    }
}
