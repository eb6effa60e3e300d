//! Sets of go bits. Where there are few groups an idle carries its set; where there are many it names one, and the ring
//! holds a table of those that its idles name.

use std::collections::BTreeMap;
use std::fmt::Debug;

use ringlet_engine_derive::Encode;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Encode, Encoder, IdleWord, Rest};

/// Go bits that a recording shows one by one; the last one also stands for all beyond it.
const SHOWN: usize = IdleWord::BITS as usize;

/// State that the nodes of a ring share for their protocol. Where an idle names a state that is kept here, this says
/// what it is, and drops it when no idle names it any more.
pub(crate) trait IdleStates: Send + Sync + Clone + Default + Encode + Serialize + DeserializeOwned {
    /// Returns what a recording shows of an idle with this word; called for each that is recorded.
    fn shown(&self, word: IdleWord) -> IdleWord {
        word
    }

    /// Returns the go bits of an idle with this word; called for the report of a ring that stalls.
    fn go_bits(&self, word: IdleWord) -> IdleWord {
        self.shown(word)
    }

    /// Is so much kept that what no idle names is to be dropped? Asked after every sweep round the ring.
    #[inline]
    fn is_full(&self) -> bool {
        false
    }

    /// May an idle have this word? Asked of a state that was read from a file.
    fn knows(&self, _word: IdleWord) -> bool {
        true
    }

    /// Drops what none of these idles names; called when it [is full](Self::is_full), with all of the ring.
    fn keep_only(&mut self, _used: &mut dyn Iterator<Item = IdleWord>) {}
}

impl IdleStates for () {}

/// A set of go bits, one for each group.
pub(crate) trait GoSet:
    Debug + Default + Copy + PartialEq + Send + Sync + Encode + Rest + Serialize + DeserializeOwned
{
    /// The sets that the idles of a ring name; `()`: an idle has its set itself.
    type Table: IdleStates;

    /// The go bits of so many groups, from group 0 on.
    fn first(groups: u16) -> Self;

    /// The go bit of a group.
    fn of(group: u8) -> Self;

    /// The set that an idle has.
    fn read(word: IdleWord, table: &Self::Table) -> Self;

    /// The state of an idle with this set.
    fn word(self, table: &mut Self::Table) -> IdleWord;

    /// Has an idle with this set, and this state, a go bit of these?
    fn meets(self, emitted: IdleWord, others: Self) -> bool;

    #[must_use]
    fn with(self, others: Self) -> Self;

    #[must_use]
    fn without(self, others: Self) -> Self;

    /// Returns the groups that are in both sets.
    #[must_use]
    fn both(self, others: Self) -> Self;

    /// Lets all go, or all but those withheld, which are left; returns what it has let go.
    #[inline]
    fn let_go(&mut self, all: bool, withheld: Self) -> Self {
        let stays = self.both(if all { Self::default() } else { withheld });
        let gone = self.without(stays);
        *self = stays;
        gone
    }

    /// Returns the set with a mask of ones, and nothing with a mask of zeros.
    #[must_use]
    fn masked(self, mask: IdleWord) -> Self;

    /// The set as a recording shows it.
    fn shown(self) -> IdleWord;
}

impl GoSet for IdleWord {
    type Table = ();

    fn first(groups: u16) -> Self {
        Self::MAX >> (SHOWN - usize::from(groups))
    }

    #[inline]
    fn of(group: u8) -> Self {
        1 << group
    }

    #[inline]
    fn read(word: IdleWord, (): &()) -> Self {
        word
    }

    #[inline]
    fn word(self, (): &mut ()) -> IdleWord {
        self
    }

    #[inline]
    fn meets(self, emitted: IdleWord, others: Self) -> bool {
        emitted & others != 0
    }

    #[inline]
    fn with(self, others: Self) -> Self {
        self | others
    }

    #[inline]
    fn without(self, others: Self) -> Self {
        self & !others
    }

    #[inline]
    fn both(self, others: Self) -> Self {
        self & others
    }

    #[inline]
    fn masked(self, mask: IdleWord) -> Self {
        self & mask
    }

    fn shown(self) -> IdleWord {
        self
    }
}

/// Go bits of up to 256 groups.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Encode, Serialize, Deserialize)]
pub(crate) struct WideSet([u64; 4]);

impl WideSet {
    fn each(self, others: Self, both: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|place| both(self.0[place], others.0[place])))
    }
}

impl Rest for WideSet {
    fn is_held(&self) -> bool {
        *self != Self::default()
    }
}

impl GoSet for WideSet {
    type Table = Sets;

    fn first(groups: u16) -> Self {
        (0..groups).fold(Self::default(), |set, group| set.with(Self::of(group as u8)))
    }

    fn of(group: u8) -> Self {
        let mut set = Self::default();
        set.0[usize::from(group / 64)] = 1 << (group % 64);
        set
    }

    fn read(word: IdleWord, table: &Sets) -> Self {
        // Created idles, and those before the first, have no go bits.
        if word == 0 { Self::default() } else { table.sets[word as usize - 1] }
    }

    fn word(self, table: &mut Sets) -> IdleWord {
        table.name(self)
    }

    fn meets(self, _: IdleWord, others: Self) -> bool {
        self.each(others, |own, other| own & other).is_held()
    }

    fn with(self, others: Self) -> Self {
        self.each(others, |own, other| own | other)
    }

    fn without(self, others: Self) -> Self {
        self.each(others, |own, other| own & !other)
    }

    fn both(self, others: Self) -> Self {
        self.each(others, |own, other| own & other)
    }

    fn masked(self, mask: IdleWord) -> Self {
        if mask == 0 { Self::default() } else { self }
    }

    fn shown(self) -> IdleWord {
        let beyond = self.without(Self::first(SHOWN as u16 - 1)).is_held();
        self.0[0] as IdleWord & (IdleWord::MAX >> 1) | IdleWord::from(beyond) << (SHOWN - 1)
    }
}

/// The sets that a table holds before it is first cleared.
const FEW: usize = 256;

/// The sets that the idles of a ring name, each once: equal idles have equal states. The empty set is 0.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "SavedSets")]
pub(crate) struct Sets {
    /// Sets by their names less 1. The sets of free names are still there.
    sets: Vec<WideSet>,
    words: BTreeMap<WideSet, IdleWord>,
    /// Names to be given again.
    free: Vec<IdleWord>,
    /// Number of sets that makes the table full.
    most: usize,
}

/// Sets as they were read from a file.
#[derive(Deserialize)]
struct SavedSets {
    sets: Vec<WideSet>,
    words: BTreeMap<WideSet, IdleWord>,
    free: Vec<IdleWord>,
    most: usize,
}

impl TryFrom<SavedSets> for Sets {
    type Error = &'static str;

    fn try_from(SavedSets { sets, words, free, most }: SavedSets) -> Result<Self, Self::Error> {
        let mut is_free = vec![true; sets.len()];
        let place = |word: IdleWord| (word as usize).checked_sub(1).filter(|&place| place < sets.len());
        let named = words.iter().all(|(set, &word)| {
            place(word).is_some_and(|place| sets[place] == *set && std::mem::replace(&mut is_free[place], false))
        });
        // Each name is given once, or free once.
        let freed = free.iter().all(|&word| place(word).is_some_and(|at| std::mem::replace(&mut is_free[at], false)));
        let holds = named && freed && !is_free.contains(&true);
        if holds { Ok(Self { sets, words, free, most }) } else { Err("sets of go bits with other names") }
    }
}

impl Default for Sets {
    fn default() -> Self {
        Self { sets: Vec::new(), words: BTreeMap::new(), free: Vec::new(), most: FEW }
    }
}

impl Sets {
    fn name(&mut self, set: WideSet) -> IdleWord {
        if !set.is_held() {
            return 0;
        }
        let Self { sets, words, free, .. } = self;
        *words.entry(set).or_insert_with(|| match free.pop() {
            Some(word) => {
                sets[word as usize - 1] = set;
                word
            }
            None => {
                sets.push(set);
                sets.len() as IdleWord
            }
        })
    }
}

impl IdleStates for Sets {
    fn shown(&self, word: IdleWord) -> IdleWord {
        WideSet::read(word, self).shown()
    }

    fn knows(&self, word: IdleWord) -> bool {
        word as usize <= self.sets.len()
    }

    #[inline]
    fn is_full(&self) -> bool {
        self.words.len() >= self.most
    }

    fn keep_only(&mut self, used: &mut dyn Iterator<Item = IdleWord>) {
        let mut is_used = vec![false; self.sets.len() + 1];
        used.for_each(|word| is_used[word as usize] = true);
        let free = &mut self.free;
        self.words.retain(|_, &mut word| {
            let stays = is_used[word as usize];
            if !stays {
                free.push(word);
            }
            stays
        });
        // Twice what is used: a ring whose idles name many sets would else clear its table after every sweep.
        self.most = FEW.max(2 * self.words.len());
    }
}

impl Encode for Sets {
    fn encode(&self, encoder: &mut Encoder<'_>) {
        self.sets.encode(encoder);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn set(groups: &[u8]) -> WideSet {
        groups.iter().fold(WideSet::default(), |set, &group| set.with(WideSet::of(group)))
    }

    #[test]
    fn a_wide_set_has_all_groups_and_shows_the_first_ones() {
        assert_eq!(WideSet::first(256), set(&(0..=255).collect::<Vec<_>>()));
        assert_eq!(IdleWord::first(32), IdleWord::MAX);
        assert_eq!(set(&[0, 3, 30]).shown(), 1 | 8 | 1 << 30);
        assert_eq!(set(&[200]).shown(), 1 << 31);
        assert!(set(&[7, 255]).meets(0, set(&[255])) && !set(&[7, 255]).meets(0, set(&[8, 64])));
    }

    #[test]
    fn a_table_is_read_as_it_was_written_and_not_with_other_names() {
        let mut table = Sets::default();
        let words: Vec<IdleWord> = [[1, 2], [3, 200], [7, 255]].map(|groups| set(&groups).word(&mut table)).into();
        table.keep_only(&mut words[1..].iter().copied());
        let saved = || SavedSets {
            sets: table.sets.clone(),
            words: table.words.clone(),
            free: table.free.clone(),
            most: table.most,
        };
        assert!(Sets::try_from(saved()).is_ok());
        let damaged: [fn(&mut SavedSets); 6] = [
            |sets| sets.free[0] = 0,
            |sets| sets.free[0] = 4,
            |sets| sets.free.clear(),
            |sets| sets.free.push(2),
            |sets| sets.sets[1] = WideSet::default(),
            |sets| *sets.words.values_mut().next().expect("two are named") = 9,
        ];
        for damage in damaged {
            let mut sets = saved();
            damage(&mut sets);
            assert!(Sets::try_from(sets).is_err());
        }
    }

    #[test]
    fn equal_sets_have_one_name_and_what_no_idle_names_is_dropped() {
        proptest!(|(given in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..4), 1..40), kept: u64)| {
            let mut table = Sets::default();
            let words: Vec<IdleWord> = given.iter().map(|groups| set(groups).word(&mut table)).collect();
            for (groups, &word) in given.iter().zip(&words) {
                prop_assert_eq!(WideSet::read(word, &table), set(groups));
            }
            let used = |word: &IdleWord| kept >> (word % 64) & 1 == 1;
            table.keep_only(&mut words.iter().copied().filter(used));
            for group in 0..100 {
                set(&[group, group + 100]).word(&mut table);
            }
            for (groups, word) in given.iter().zip(&words).filter(|(_, word)| used(word)) {
                prop_assert_eq!(WideSet::read(*word, &table), set(groups));
                prop_assert_eq!(set(groups).word(&mut table), *word);
            }
        });
    }
}
