//! A FIFO that mostly holds one thing or none.

use std::ops::Index;

use smallvec::{Array, SmallVec};

use crate::values::{Encode, Encoder, Rest};

/// A FIFO whose first element lies in the struct itself. In a large network, where nothing is in the cache, memory
/// outside would be one thing more to wait for.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Parts<T>")]
pub(crate) struct Fifo<T> {
    /// First element; `None`: the FIFO is empty.
    first: Option<T>,
    /// The others, behind so many that have left.
    others: Vec<T>,
    left: usize,
}

/// A FIFO as it was read from a file.
#[derive(serde::Deserialize)]
struct Parts<T> {
    first: Option<T>,
    others: Vec<T>,
    left: usize,
}

impl<T> TryFrom<Parts<T>> for Fifo<T> {
    type Error = &'static str;

    fn try_from(Parts { first, others, left }: Parts<T>) -> Result<Self, Self::Error> {
        let holds = left <= others.len() && (first.is_some() || left == others.len());
        if holds { Ok(Self { first, others, left }) } else { Err("a FIFO without a first element") }
    }
}

impl<T> Default for Fifo<T> {
    fn default() -> Self {
        Self { first: None, others: Vec::new(), left: 0 }
    }
}

impl<T: Copy> Fifo<T> {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        usize::from(self.first.is_some()) + self.others.len() - self.left
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// Are there any behind the first?
    #[inline]
    pub(crate) fn has_others(&self) -> bool {
        self.left < self.others.len()
    }

    #[inline]
    pub(crate) fn first(&self) -> Option<&T> {
        self.first.as_ref()
    }

    #[inline]
    pub(crate) fn first_mut(&mut self) -> Option<&mut T> {
        self.first.as_mut()
    }

    /// First in, first out.
    #[inline]
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &T> + DoubleEndedIterator {
        (0..self.len()).map(|place| &self[place])
    }

    #[inline]
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.first.iter_mut().chain(&mut self.others[self.left..])
    }

    #[inline]
    pub(crate) fn push(&mut self, value: T) {
        if self.first.is_none() {
            self.first = Some(value);
            return;
        }
        if self.others.len() == self.others.capacity() {
            self.make_room();
        }
        self.others.push(value);
    }

    /// Uses the memory of those that have left again, where they are as many as the others.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self) {
        if self.left * 2 >= self.others.len() {
            self.others.drain(..self.left);
            self.left = 0;
        }
    }

    /// Puts it before all others.
    #[inline]
    pub(crate) fn push_first(&mut self, value: T) {
        if let Some(first) = self.first.replace(value) {
            self.insert_second(first);
        }
    }

    /// Puts it behind the first one, before all others: where one has left, if any has.
    #[inline]
    pub(crate) fn insert_second(&mut self, value: T) {
        if self.left > 0 {
            self.left -= 1;
            self.others[self.left] = value;
        } else {
            self.others.insert(0, value);
        }
    }

    /// Puts it where so many are before it.
    ///
    /// # Panics
    /// If there are fewer.
    #[inline]
    pub(crate) fn insert(&mut self, place: usize, value: T) {
        match place {
            0 => self.push_first(value),
            1 => self.insert_second(value),
            _ => self.others.insert(self.left + place - 1, value),
        }
    }

    #[inline]
    pub(crate) fn take_first(&mut self) -> Option<T> {
        let first = self.first;
        self.drop_first();
        first
    }

    /// Drops the first one, if there is one.
    #[inline]
    pub(crate) fn drop_first(&mut self) {
        if let Some(&next) = self.others.get(self.left) {
            self.first = Some(next);
            self.left += 1;
            self.begin_again();
        } else {
            self.first = None;
        }
    }

    /// Takes out what has so many before it, if there are more.
    #[inline]
    pub(crate) fn take(&mut self, place: usize) -> Option<T> {
        if place == 0 {
            return self.take_first();
        }
        let place = self.left + place - 1;
        let taken = (place < self.others.len()).then(|| self.others.remove(place));
        self.begin_again();
        taken
    }

    /// Lets elements that come when there are no others use the memory again.
    #[inline]
    fn begin_again(&mut self) {
        if self.left == self.others.len() {
            self.others.clear();
            self.left = 0;
        }
    }

    /// Bytes held outside the struct itself.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.others.capacity() * size_of::<T>()
    }
}

impl<T: Copy + Encode> Encode for Fifo<T> {
    fn encode(&self, encoder: &mut Encoder<'_>) {
        encoder.len(self.len());
        self.iter().for_each(|one| one.encode(encoder));
    }
}

impl<T: Copy> Rest for Fifo<T> {
    fn is_held(&self) -> bool {
        !self.is_empty()
    }
}

impl<T> Index<usize> for Fifo<T> {
    type Output = T;

    #[inline]
    fn index(&self, place: usize) -> &T {
        match (place, &self.first) {
            (0, Some(first)) => first,
            // Place 0 of an empty FIFO becomes an index beyond the others, which panics like any that is too large.
            _ => &self.others[(self.left + place).wrapping_sub(1)],
        }
    }
}

/// Bytes held outside the struct itself by what mostly holds few.
pub(crate) fn heap_bytes<A: Array>(few: &SmallVec<A>) -> usize {
    if few.spilled() { few.capacity() * size_of::<A::Item>() } else { 0 }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;
    use proptest::prelude::*;

    #[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
    enum Step {
        Push,
        PushFirst,
        Insert(usize),
        TakeFirst,
        Take(usize),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            2 => Just(Step::Push),
            1 => Just(Step::PushFirst),
            1 => (0..6usize).prop_map(Step::Insert),
            3 => Just(Step::TakeFirst),
            1 => (0..6usize).prop_map(Step::Take),
        ]
    }

    proptest! {
        #[test]
        fn it_does_what_a_deque_does(steps in prop::collection::vec(step(), 0..60)) {
            let (mut fifo, mut deque) = (Fifo::default(), VecDeque::new());
            for (value, step) in steps.into_iter().enumerate() {
                match step {
                    Step::Push => {
                        fifo.push(value);
                        deque.push_back(value);
                    }
                    Step::PushFirst => {
                        fifo.push_first(value);
                        deque.push_front(value);
                    }
                    Step::Insert(place) => {
                        let place = place.min(deque.len());
                        fifo.insert(place, value);
                        deque.insert(place, value);
                    }
                    Step::TakeFirst => prop_assert_eq!(fifo.take_first(), deque.pop_front()),
                    Step::Take(place) => prop_assert_eq!(fifo.take(place), deque.remove(place)),
                }
                prop_assert!(fifo.iter().eq(&deque) && fifo.iter_mut().eq(&mut deque));
                prop_assert!(fifo.iter().rev().eq(deque.iter().rev()));
                prop_assert_eq!((fifo.len(), fifo.is_empty()), (deque.len(), deque.is_empty()));
                prop_assert_eq!(fifo.first(), deque.front());
                prop_assert!((0..deque.len()).all(|place| fifo[place] == deque[place]));
            }
        }
    }
}
