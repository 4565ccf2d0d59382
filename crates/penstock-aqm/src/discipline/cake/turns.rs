//! The calendar of the round robin: queues by the first turn at which they may be able to send.

use alloc::collections::BinaryHeap;
use core::cmp::Ordering;

/// A turn: its round, and the place of the queue within the round, as one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Due(u128);

impl Due {
    /// After all turns.
    pub(super) const NEVER: Self = Self(u128::MAX);

    #[inline]
    pub(super) fn new(round: u64, place: u64) -> Self {
        Self(u128::from(round) << 64 | u128::from(place))
    }

    #[inline]
    pub(super) fn round(self) -> u64 {
        (self.0 >> 64) as u64
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    due: Due,
    id: u32,
}

/// The earliest turn compares as the largest.
impl Ord for Entry {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        other.due.cmp(&self.due)
    }
}

impl PartialOrd for Entry {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Queues by their turns. The owner also keeps the turn of each queue: an entry with a different turn is out of date.
#[derive(Default)]
pub(super) struct Calendar {
    entries: BinaryHeap<Entry>,
}

impl Calendar {
    /// Make room for this number of queues.
    pub(super) fn reserve(&mut self, queues: u32) {
        self.entries.reserve(queues as usize);
    }

    /// Number of entries, including those that are out of date.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The first queue and its turn.
    #[inline]
    pub(super) fn first(&mut self, due_of: impl Fn(u32) -> Due) -> Option<(Due, u32)> {
        loop {
            let &Entry { due, id } = self.entries.peek()?;
            if due_of(id) == due {
                return Some((due, id));
            }
            self.entries.pop();
        }
    }

    /// Move the turn of the first queue to this later turn.
    #[inline]
    pub(super) fn postpone_first(&mut self, due: Due) {
        if let Some(mut first) = self.entries.peek_mut() {
            first.due = due;
        }
    }

    pub(super) fn insert(&mut self, due: Due, id: u32) {
        self.entries.push(Entry { due, id });
    }

    /// Rebuild the calendar.
    pub(super) fn rebuild(&mut self, turns: impl Iterator<Item = (Due, u32)>) {
        self.entries.clear();
        self.entries.extend(turns.map(|(due, id)| Entry { due, id }));
    }
}
/// The state of a queue in the round robin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    /// Its place within a round.
    pub(super) place: u64,
    /// The last round whose credit it has received.
    pub(super) credited: u64,
    /// It cannot send before this turn, while its load is at least `least_load`.
    pub(super) due: Due,
    pub(super) least_load: u32,
    /// The number of queues among which the share of its host is divided; at least 1.
    pub(super) load: u32,
    /// Number of credits that it has been given since its first use.
    pub(super) credits: u64,
}

impl Turn {
    /// The state of a queue before its first use.
    pub(super) const NEW: Self = Self { place: 0, credited: 0, due: Due::NEVER, least_load: 0, load: 1, credits: 0 };
}
