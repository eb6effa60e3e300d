//! A value of all nodes, of which single nodes may have their own.

use serde::{Deserialize, Serialize};

use super::{SpecError, check};

/// A value of all nodes, and, where they differ, the value of each.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PerNode<T> {
    /// The value of each node and port without its own.
    pub common: T,
    /// The value of each node, in place of `common`; `None`: that, everywhere.
    pub each: Option<Vec<T>>,
}

impl<T> From<T> for PerNode<T> {
    fn from(common: T) -> Self {
        Self { common, each: None }
    }
}

impl<T> PerNode<T> {
    /// Values of which each node has its own, and ports have `common`.
    pub fn of_each(common: T, each: Vec<T>) -> Self {
        Self { common, each: Some(each) }
    }

    /// The value of a node.
    pub fn of(&self, node: u32) -> &T {
        self.each.as_ref().map_or(&self.common, |each| &each[node as usize])
    }

    /// The values of the nodes that have their own.
    pub fn own(&self) -> impl Iterator<Item = &T> {
        self.each.iter().flatten()
    }

    /// All values: the common one, and those of the nodes that have their own.
    pub fn all(&self) -> impl Iterator<Item = &T> {
        std::iter::once(&self.common).chain(self.own())
    }

    /// All values, to be changed.
    pub fn all_mut(&mut self) -> impl Iterator<Item = &mut T> {
        std::iter::once(&mut self.common).chain(self.each.iter_mut().flatten())
    }

    /// The value of the first node for which this is least; the common one if no node has its own.
    pub(crate) fn least_by_key<K: Ord>(&self, key: impl Fn(&T) -> K) -> &T {
        self.own().min_by_key(|&value| key(value)).unwrap_or(&self.common)
    }

    /// Checks that there is one own value of each of `count` places, if there are any.
    pub(super) fn check_count(&self, count: usize, path: &str, places: &str) -> Result<(), SpecError> {
        let Some(each) = &self.each else { return Ok(()) };
        let (given, allowed) = (format!("{} values", each.len()), format!("{count}, one per {places}"));
        check(each.len() == count, format!("{path}.each"), given, allowed)
    }

    /// Checks all values, of which each has its own path.
    pub(super) fn check_all(
        &self,
        path: &str,
        mut check: impl FnMut(&T, &str) -> Result<(), SpecError>,
    ) -> Result<(), SpecError> {
        check(&self.common, &format!("{path}.common"))?;
        self.own().enumerate().try_for_each(|(node, value)| check(value, &format!("{path}.each[{node}]")))
    }
}
