//! A queue in order of arrival; packets can also be taken from its middle, by drop precedence.

use super::packet_slab::{PacketSlab, SlabQueue, TAG, Taken};
use crate::aqm::Backlog;
use crate::list::{Linked, Links, List};
use alloc::vec::Vec;
use penstock_core::{Limit, Packet, Time};

/// Which packet of a level to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The packet that came first.
    First,
    /// The packet that came last.
    Last,
    /// The packet with this number, from 0 to [`LevelQueue::of_level`] - 1; the numbers are in no particular order.
    Number(u32),
}

/// Packets in order of arrival, each with a level: a queue of the store for each level, and the numbers of its packets.
///
/// The store finds the first packet of all and both ends of a level; the numbers find a random packet. Every operation
/// takes O(1) time, whichever packet leaves.
pub(crate) struct LevelQueue<P> {
    pub(crate) packets: PacketSlab<P, Member>,
    levels: Vec<Level>,
    /// All packets, in order of arrival.
    all: List<TAG>,
}

/// The level of a packet, its number in the level, and its neighbours in the order of arrival.
#[derive(Clone, Copy)]
pub(crate) struct Member {
    level: usize,
    number: u32,
    links: Links,
}

impl Linked<TAG> for Member {
    #[inline]
    fn links(&self) -> &Links {
        &self.links
    }
    #[inline]
    fn links_mut(&mut self) -> &mut Links {
        &mut self.links
    }
}

struct Level {
    waiting: SlabQueue,
    /// The slots of its packets by their numbers.
    members: Vec<u32>,
}

impl<P: Packet> LevelQueue<P> {
    /// An empty queue of packets of `levels` levels.
    pub(crate) fn new(levels: usize) -> Self {
        let level = || Level { waiting: SlabQueue::EMPTY, members: Vec::new() };
        Self { packets: PacketSlab::new(), levels: (0..levels).map(|_| level()).collect(), all: List::EMPTY }
    }

    /// Make room for this many packets.
    pub(crate) fn reserve(&mut self, packets: u32) {
        self.packets.reserve(packets);
        self.levels.iter_mut().for_each(|level| level.members.reserve(packets as usize));
    }

    /// Number of packets of `level`.
    pub(crate) fn of_level(&self, level: usize) -> u32 {
        self.levels[level].waiting.packets()
    }

    /// Appends a packet at the end. Returns its slot.
    pub(crate) fn push_back(&mut self, level: usize, now: Time, packet: P) -> u32 {
        let Level { waiting, members } = &mut self.levels[level];
        let member = Member { level, number: waiting.packets(), links: Links::NONE };
        let slot = self.packets.push(waiting, &packet, member, now);
        self.all.push(self.packets.slots_mut(), slot);
        members.push(slot);
        slot
    }

    /// The packet that came first leaves.
    pub(crate) fn pop_front(&mut self) -> Option<Taken<P>> {
        self.all.head().map(|slot| self.remove(slot))
    }

    /// A packet of `level` leaves; `None` if there is none.
    pub(crate) fn take(&mut self, level: usize, place: Place) -> Option<Taken<P>> {
        let Level { waiting, members } = &self.levels[level];
        let slot = match place {
            Place::First => waiting.head()?,
            Place::Last => waiting.tail()?,
            Place::Number(number) => *members.get(number as usize)?,
        };
        Some(self.remove(slot))
    }

    fn remove(&mut self, slot: u32) -> Taken<P> {
        let Member { level, number, .. } = self.packets.tag(slot);
        let Level { waiting, members } = &mut self.levels[level];
        members.swap_remove(number as usize);
        if let Some(&moved) = members.get(number as usize) {
            self.packets.tag_mut(moved).number = number;
        }
        self.all.remove(self.packets.slots_mut(), slot);
        self.packets.remove(waiting, slot)
    }

    /// The waiting packets of a link with this limit.
    pub(crate) fn backlog(&self, limit: Limit) -> Backlog {
        self.packets.backlog(limit, self.levels.iter().map(|level| &level.waiting))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::numbered;
    use penstock_core::{PacketMeta, Rng};

    /// The flow numbers a packet.
    fn filled(levels: &[usize]) -> LevelQueue<PacketMeta> {
        let mut queue = LevelQueue::new(3);
        for (packet, &level) in (0..).zip(levels) {
            queue.push_back(level, at(packet), numbered(packet, 1000));
        }
        queue
    }

    fn at(packet: u32) -> Time {
        Time::from_nanos(u64::from(packet))
    }

    fn number(taken: Option<Taken<PacketMeta>>) -> Option<u32> {
        let Taken { packet, enqueued } = taken?;
        assert_eq!(enqueued, at(packet.flow));
        Some(packet.flow)
    }

    fn drained(mut queue: LevelQueue<PacketMeta>) -> Vec<u32> {
        core::iter::from_fn(|| number(queue.pop_front())).collect()
    }

    #[test]
    fn the_first_and_the_last_of_a_level_leave_and_the_others_keep_their_order() {
        let mut queue = filled(&[0, 1, 0, 1, 2, 1, 0]);
        assert_eq!(number(queue.take(1, Place::Last)), Some(5));
        assert_eq!(number(queue.take(1, Place::First)), Some(1));
        assert_eq!((queue.packets.len(), queue.of_level(1)), (5, 1));
        assert_eq!(queue.backlog(Limit::Infinite).oldest, Some(Time::ZERO));
        assert_eq!(number(queue.take(2, Place::Number(1))), None);
        assert_eq!(drained(queue), [0, 2, 3, 4, 6]);
    }

    #[test]
    fn it_does_what_a_plain_list_does() {
        let mut rng = Rng::stream(1, "levels");
        let (mut queue, mut list) = (LevelQueue::new(3), Vec::new());
        for packet in 0..20_000_u32 {
            let level = rng.below(3) as usize;
            let of_level: Vec<usize> = (0..list.len()).filter(|&at| list[at] as usize % 3 == level).collect();
            assert_eq!((queue.packets.len() as usize, queue.of_level(level)), (list.len(), of_level.len() as u32));
            match rng.below(7) {
                0..=2 => {
                    let packet = 3 * packet + level as u32;
                    let slot = queue.push_back(level, at(packet), numbered(packet, 1000));
                    list.push(packet);
                    assert_eq!(queue.packets.packet(slot).flow, packet);
                }
                3 => {
                    let first = (!list.is_empty()).then(|| list.remove(0));
                    assert_eq!(number(queue.pop_front()), first);
                }
                4 => {
                    let wanted = of_level.first().map(|&at| list.remove(at));
                    assert_eq!(number(queue.take(level, Place::First)), wanted);
                }
                5 => {
                    let wanted = of_level.last().map(|&at| list.remove(at));
                    assert_eq!(number(queue.take(level, Place::Last)), wanted);
                }
                _ if of_level.is_empty() => assert_eq!(number(queue.take(level, Place::Number(0))), None),
                _ => {
                    let place = Place::Number(rng.below(of_level.len() as u64) as u32);
                    let taken = number(queue.take(level, place)).unwrap();
                    let at = list.iter().position(|&packet| packet == taken).unwrap();
                    assert_eq!(list.remove(at) as usize % 3, level);
                }
            }
        }
        assert_eq!(drained(queue), list);
    }

    #[test]
    fn each_number_is_another_packet() {
        let taken = |place| number(filled(&[1, 0, 1, 1, 2, 1]).take(1, Place::Number(place))).unwrap();
        let mut seen: Vec<u32> = (0..4).map(taken).collect();
        seen.sort_unstable();
        assert_eq!(seen, [0, 2, 3, 5]);
    }
}
