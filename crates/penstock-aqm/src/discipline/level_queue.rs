//! A queue in order of arrival from whose middle packets can be taken, by drop precedence.

use alloc::vec::Vec;
use penstock_core::Time;

/// No neighbour.
const NONE: u32 = u32::MAX;

/// Which packet of a level to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The one that came first.
    First,
    /// The one that came last.
    Last,
    /// The one with this number, from 0 to one less than [`LevelQueue::of_level`]; their order means nothing.
    Number(u32),
}

/// Packets in order of arrival, each with a level.
///
/// Packets lie in slots that are used again. Each slot is in two doubly linked lists, that of all packets and that of
/// its level, both in order of arrival, and in a vector of its level in any order: the lists give the first and the
/// last packet of a level, the vector a random one. Every operation takes O(1) time, whichever packet leaves.
pub(crate) struct LevelQueue<P> {
    slots: Vec<Slot<P>>,
    free: Vec<u32>,
    all: Ends,
    levels: Vec<Level>,
}

struct Slot<P> {
    held: Option<(Time, P)>,
    level: usize,
    /// Neighbours among all packets, and in the level.
    links: [Link; 2],
    /// Where it stands in the vector of its level.
    number: u32,
}

#[derive(Clone, Copy)]
struct Link {
    before: u32,
    after: u32,
}

#[derive(Clone, Copy)]
struct Ends {
    first: u32,
    last: u32,
}

struct Level {
    ends: Ends,
    members: Vec<u32>,
}

/// The two lists a slot is in.
const ALL: usize = 0;
const LEVEL: usize = 1;

impl Ends {
    const EMPTY: Self = Self { first: NONE, last: NONE };
}

impl<P> LevelQueue<P> {
    /// An empty queue of packets of `levels` levels.
    pub(crate) fn new(levels: usize) -> Self {
        let level = || Level { ends: Ends::EMPTY, members: Vec::new() };
        Self { slots: Vec::new(), free: Vec::new(), all: Ends::EMPTY, levels: (0..levels).map(|_| level()).collect() }
    }

    /// Make room for this many packets.
    pub(crate) fn reserve(&mut self, packets: u32) {
        let packets = packets as usize;
        self.slots.reserve(packets);
        self.free.reserve(packets);
        self.levels.iter_mut().for_each(|level| level.members.reserve(packets));
    }

    /// Number of packets.
    pub(crate) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Number of packets of `level`.
    pub(crate) fn of_level(&self, level: usize) -> u32 {
        self.levels[level].members.len() as u32
    }

    /// When the packet that came first came.
    pub(crate) fn oldest(&self) -> Option<Time> {
        self.slots.get(self.all.first as usize)?.held.as_ref().map(|&(enqueued, _)| enqueued)
    }

    /// The packet that came last.
    pub(crate) fn newest(&self) -> Option<&(Time, P)> {
        self.slots.get(self.all.last as usize)?.held.as_ref()
    }

    /// A packet joins at the end.
    pub(crate) fn push_back(&mut self, level: usize, now: Time, packet: P) {
        let number = self.of_level(level);
        let alone = Link { before: NONE, after: NONE };
        let slot = Slot { held: Some((now, packet)), level, links: [alone; 2], number };
        let index = if let Some(index) = self.free.pop() {
            self.slots[index as usize] = slot;
            index
        } else {
            self.slots.push(slot);
            self.slots.len() as u32 - 1
        };
        self.levels[level].members.push(index);
        self.append(index, ALL);
        self.append(index, LEVEL);
    }

    /// The packet that came first leaves.
    pub(crate) fn pop_front(&mut self) -> Option<(Time, P)> {
        self.remove(self.all.first)
    }

    /// A packet of `level` leaves; `None` if there is none.
    pub(crate) fn take(&mut self, level: usize, place: Place) -> Option<(Time, P)> {
        let level = &self.levels[level];
        let index = match place {
            Place::First => level.ends.first,
            Place::Last => level.ends.last,
            Place::Number(number) => *level.members.get(number as usize)?,
        };
        self.remove(index)
    }

    fn remove(&mut self, index: u32) -> Option<(Time, P)> {
        let held = self.slots.get_mut(index as usize)?.held.take()?;
        self.unlink(index, ALL);
        self.unlink(index, LEVEL);
        let Slot { level, number, .. } = self.slots[index as usize];
        let members = &mut self.levels[level].members;
        members.swap_remove(number as usize);
        if let Some(&moved) = members.get(number as usize) {
            self.slots[moved as usize].number = number;
        }
        self.free.push(index);
        Some(held)
    }

    fn ends(&mut self, index: u32, list: usize) -> &mut Ends {
        if list == ALL { &mut self.all } else { &mut self.levels[self.slots[index as usize].level].ends }
    }

    fn append(&mut self, index: u32, list: usize) {
        let ends = self.ends(index, list);
        let before = core::mem::replace(&mut ends.last, index);
        if before == NONE {
            ends.first = index;
        } else {
            self.slots[before as usize].links[list].after = index;
        }
        self.slots[index as usize].links[list].before = before;
    }

    fn unlink(&mut self, index: u32, list: usize) {
        let Link { before, after } = self.slots[index as usize].links[list];
        match before {
            NONE => self.ends(index, list).first = after,
            _ => self.slots[before as usize].links[list].after = after,
        }
        match after {
            NONE => self.ends(index, list).last = before,
            _ => self.slots[after as usize].links[list].before = before,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use penstock_core::Rng;

    fn shelf(levels: &[usize]) -> LevelQueue<usize> {
        let mut shelf = LevelQueue::new(3);
        for (packet, &level) in levels.iter().enumerate() {
            shelf.push_back(level, Time::from_nanos(packet as u64), packet);
        }
        shelf
    }

    fn drained(mut shelf: LevelQueue<usize>) -> Vec<usize> {
        core::iter::from_fn(|| shelf.pop_front().map(|(_, packet)| packet)).collect()
    }

    #[test]
    fn the_first_and_the_last_of_a_level_leave_and_the_others_keep_their_order() {
        let mut shelf = shelf(&[0, 1, 0, 1, 2, 1, 0]);
        assert_eq!(shelf.take(1, Place::Last).map(|(_, packet)| packet), Some(5));
        assert_eq!(shelf.take(1, Place::First).map(|(_, packet)| packet), Some(1));
        assert_eq!((shelf.len(), shelf.of_level(1), shelf.oldest()), (5, 1, Some(Time::ZERO)));
        assert_eq!(shelf.take(2, Place::Number(1)), None);
        assert_eq!(drained(shelf), [0, 2, 3, 4, 6]);
    }

    #[test]
    fn it_does_what_a_plain_list_does() {
        let mut rng = Rng::stream(1, "shelf");
        let (mut shelf, mut list) = (LevelQueue::new(3), Vec::new());
        for packet in 0..20_000_usize {
            let level = rng.below(3) as usize;
            let of_level: Vec<usize> = (0..list.len()).filter(|&at| list[at] % 3 == level).collect();
            assert_eq!((shelf.len(), shelf.of_level(level)), (list.len(), of_level.len() as u32));
            match rng.below(7) {
                0..=2 => {
                    let packet = 3 * packet + level;
                    shelf.push_back(level, Time::ZERO, packet);
                    list.push(packet);
                }
                3 => {
                    let first = (!list.is_empty()).then(|| (Time::ZERO, list.remove(0)));
                    assert_eq!(shelf.pop_front(), first);
                }
                4 => assert_eq!(
                    shelf.take(level, Place::First),
                    of_level.first().map(|&at| (Time::ZERO, list.remove(at)))
                ),
                5 => {
                    assert_eq!(
                        shelf.take(level, Place::Last),
                        of_level.last().map(|&at| (Time::ZERO, list.remove(at)))
                    );
                }
                _ if of_level.is_empty() => assert_eq!(shelf.take(level, Place::Number(0)), None),
                _ => {
                    let number = rng.below(of_level.len() as u64) as u32;
                    let (_, taken) = shelf.take(level, Place::Number(number)).unwrap();
                    let at = list.iter().position(|&packet| packet == taken).unwrap();
                    assert_eq!(list.remove(at) % 3, level);
                }
            }
            assert_eq!(shelf.newest().map(|&(_, packet)| packet), list.last().copied());
        }
        assert_eq!(drained(shelf), list);
    }

    #[test]
    fn each_number_is_another_packet() {
        let mut seen: Vec<usize> =
            (0..4).map(|number| shelf(&[1, 0, 1, 1, 2, 1]).take(1, Place::Number(number)).unwrap().1).collect();
        seen.sort_unstable();
        assert_eq!(seen, [0, 2, 3, 5]);
    }
}
