//! Send packets, held in an arena from the head of the transmit queue until they are accepted.

/// What the nodes need to know of a send packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Packet {
    /// Cycle in which it was generated.
    pub(crate) generated: u64,
    /// Flow it belongs to.
    pub(crate) flow: u32,
    /// Times it was refused.
    pub(crate) refusals: u32,
    /// Node it starts from.
    pub(crate) source: u16,
    /// Node it goes to.
    pub(crate) destination: u16,
    /// Length.
    pub(crate) symbols: u16,
    /// Transmission group.
    pub(crate) group: u8,
    /// Send priority.
    pub(crate) priority: u8,
}

/// Packets by index; freed places are used again.
#[derive(Debug, Default)]
pub(crate) struct Packets {
    slots: Vec<Packet>,
    free: Vec<u32>,
}

impl Packets {
    /// Stores a packet and returns its index.
    pub(crate) fn insert(&mut self, packet: Packet) -> u32 {
        if let Some(index) = self.free.pop() {
            self.slots[index as usize] = packet;
            index
        } else {
            self.slots.push(packet);
            (self.slots.len() - 1) as u32
        }
    }

    /// The packet may be forgotten.
    pub(crate) fn remove(&mut self, index: u32) {
        self.free.push(index);
    }

    /// Packets held.
    pub(crate) fn held(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Bytes held outside the struct itself.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Packet>() + self.free.capacity() * size_of::<u32>()
    }
}

impl std::ops::Index<u32> for Packets {
    type Output = Packet;

    #[inline]
    fn index(&self, index: u32) -> &Packet {
        &self.slots[index as usize]
    }
}

impl std::ops::IndexMut<u32> for Packets {
    #[inline]
    fn index_mut(&mut self, index: u32) -> &mut Packet {
        &mut self.slots[index as usize]
    }
}
