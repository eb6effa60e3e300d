//! Sets of go bits.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, Not};

/// A go bit for each of up to 256 groups.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Go([u64; 4]);

impl Go {
    pub(crate) const NONE: Self = Self([0; 4]);

    /// The go bits of these groups.
    pub(crate) fn of(groups: impl IntoIterator<Item = usize>) -> Self {
        let mut go = Self::NONE;
        groups.into_iter().for_each(|group| go.0[group / 64] |= 1 << (group % 64));
        go
    }

    pub(crate) fn has(&self, group: usize) -> bool {
        self.0[group / 64] >> (group % 64) & 1 == 1
    }

    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::NONE
    }

    /// The groups whose go bits are there.
    pub(crate) fn groups(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(part, mut bits)| {
            std::iter::from_fn(move || {
                let bit = bits.trailing_zeros() as usize;
                bits &= bits.wrapping_sub(1);
                (bit < 64).then_some(64 * part + bit)
            })
        })
    }

    /// Returns the go bits as a recording shows them: bits 0 to 30 are those of the first groups, bit 31 is set
    /// for any other.
    pub(crate) fn shown(self) -> u32 {
        self.groups().fold(0, |word, group| word | 1 << group.min(31))
    }
}

impl From<u16> for Go {
    fn from(word: u16) -> Self {
        Self::of((0..16).filter(|bit| word >> bit & 1 == 1))
    }
}

impl fmt::Debug for Go {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.groups()).finish()
    }
}

impl BitOr for Go {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(std::array::from_fn(|part| self.0[part] | other.0[part]))
    }
}

impl BitOrAssign for Go {
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl BitAnd for Go {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(std::array::from_fn(|part| self.0[part] & other.0[part]))
    }
}

impl Not for Go {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0.map(|go| !go))
    }
}
