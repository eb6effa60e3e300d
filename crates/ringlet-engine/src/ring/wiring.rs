//! The wiring of rings whose links exchange where they lead.

/// The places to which the outgoing links of places lead.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Wiring {
    next: Box<[u16]>,
    /// Cycles of the link to each place, whatever leads there.
    delays: Box<[u32]>,
    /// The places of each loop, in the order of its links.
    pub(super) loops: Vec<Box<[u16]>>,
}

impl Wiring {
    /// Rings of so many places, one behind the other; `delays`: of each place's outgoing link.
    pub(crate) fn of(rings: &[u16], delays: impl Fn(u32) -> u32) -> Self {
        let mut next: Vec<u16> = Vec::new();
        for &places in rings {
            let first = next.len() as u16;
            next.extend((first + 1..first + places).chain([first]));
        }
        let mut into = vec![0; next.len()];
        for (place, &next) in (0u32..).zip(&next) {
            into[usize::from(next)] = delays(place);
        }
        let mut wiring = Self { next: next.into(), delays: into.into(), loops: Vec::new() };
        wiring.find_loops();
        wiring
    }

    /// The place whose outgoing link leads to this one.
    pub(super) fn before(&self, place: u32) -> u32 {
        let before = self.next.iter().position(|&next| u32::from(next) == place);
        before.expect("a link leads to every place") as u32
    }

    /// Cycles after which every loop that is idle has come round.
    pub(super) fn revolution(&self) -> u64 {
        let around = |places: &[u16]| places.iter().map(|&place| u64::from(self.delays[usize::from(place)])).sum();
        let all = self.loops.iter().map(|places| around(places));
        all.reduce(|one, other| (one / greatest_common_divisor(one, other)).saturating_mul(other)).unwrap_or(1)
    }

    /// The outgoing links of two places exchange where they lead; returns where they have led.
    pub(super) fn exchange(&mut self, ends: [u16; 2]) -> [u16; 2] {
        let receivers = ends.map(|end| self.next[usize::from(end)]);
        self.next.swap(usize::from(ends[0]), usize::from(ends[1]));
        self.find_loops();
        receivers
    }

    /// Cycles of the link to a place.
    pub(super) fn delay(&self, place: u16) -> u64 {
        self.delays[usize::from(place)].into()
    }

    fn find_loops(&mut self) {
        self.loops.clear();
        let mut seen = vec![false; self.next.len()];
        for first in 0..self.next.len() as u16 {
            let mut places = Vec::new();
            let mut place = first;
            while !std::mem::replace(&mut seen[usize::from(place)], true) {
                places.push(place);
                place = self.next[usize::from(place)];
            }
            if !places.is_empty() {
                self.loops.push(places.into());
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let places = self.loops.iter().map(|places| size_of_val(&**places)).sum::<usize>();
        size_of::<Self>() + size_of_val(&*self.next) + size_of_val(&*self.delays) + places
    }
}

fn greatest_common_divisor(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { greatest_common_divisor(other, one % other) }
}
