//! Counts of activities, of whatever kind.

use std::any::Any;
use std::fmt::Debug;

use super::times::Times;

/// Counts of an activity.
pub trait Counters: Any + Debug + Copied {
    /// Names and values of all counts, as Python gets them.
    fn table(&self) -> Table;

    /// Adds so many times what the same activity has counted at another time. Counts of one that takes place once stay:
    /// nothing of it comes again.
    fn add(&mut self, _other: &dyn Any, _times: Times) {}

    /// Counts the times that are kept from so many cycles later on.
    fn postpone(&mut self, _cycles: u64) {}
}

/// Counts of any kind can be copied and compared.
pub trait Copied: Send + Sync {
    /// A copy.
    fn copied(&self) -> Box<dyn Counters>;

    /// Are others of the same kind, and the same?
    fn is_same(&self, other: &dyn Any) -> bool;
}

impl<C: Counters + Clone + PartialEq + Send + Sync> Copied for C {
    fn copied(&self) -> Box<dyn Counters> {
        Box::new(self.clone())
    }

    fn is_same(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }
}

impl Clone for Box<dyn Counters> {
    fn clone(&self) -> Self {
        (**self).copied()
    }
}

impl PartialEq for dyn Counters {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other)
    }
}

/// Names and values of counts.
pub type Table = Vec<(&'static str, Count)>;

/// A value in a table of counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Count {
    /// A count.
    Whole(u64),
    /// A count that there may not be.
    Maybe(Option<u64>),
    /// Several of them.
    Several(Vec<Option<u64>>),
    /// A table inside, a column for each count.
    Columns(Vec<(&'static str, Vec<u64>)>),
}

impl From<u64> for Count {
    fn from(count: u64) -> Self {
        Self::Whole(count)
    }
}

impl From<Option<u64>> for Count {
    fn from(count: Option<u64>) -> Self {
        Self::Maybe(count)
    }
}
