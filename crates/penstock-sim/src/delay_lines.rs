//! Delay lines: packets in flight on links, first in first out, until they arrive as an event.

use crate::packet::SimPacket;
use penstock_core::Time;
use penstock_prefetch::{prefetch, use_huge_pages};

/// All delay lines. They share one slab of packets. The place freed last is reused first, so that the memory in use is
/// about the size of the packets in flight.
pub(crate) struct DelayLines {
    ends: Vec<Ends>,
    places: Vec<Place>,
    packets: Vec<Slot>,
    /// Head of the list of free places, the last freed first.
    free: u32,
}

/// First and last place of a line, [`NONE`] if it is empty. The second entry is kept here too, because it determines
/// the next event.
#[derive(Clone, Copy)]
struct Ends {
    head: u32,
    tail: u32,
    second: Place,
}

/// The entry after a packet on its line: its arrival ([`Time::NEVER`] if there is none) and its place.
#[derive(Clone, Copy)]
struct Place {
    arrival: Time,
    next: u32,
}

impl Place {
    const LAST: Self = Self { arrival: Time::NEVER, next: NONE };
}

/// A packet in half a cache line.
#[repr(align(32))]
struct Slot(SimPacket);

/// Used instead of the number of a delay line: no packet waits on this link. (`u32::MAX` denotes an ACK that has
/// arrived.)
pub(crate) const NO_LINE: u32 = u32::MAX - 1;

/// No place.
const NONE: u32 = u32::MAX;

impl DelayLines {
    /// `count` empty lines.
    pub(crate) fn new(count: usize) -> Self {
        let ends = vec![Ends { head: NONE, tail: NONE, second: Place::LAST }; count];
        Self { ends, places: Vec::new(), packets: Vec::new(), free: NONE }
    }

    /// Number of lines.
    #[inline]
    pub(crate) fn count(&self) -> u32 {
        self.ends.len() as u32
    }

    /// Whether this line is empty.
    #[inline]
    pub(crate) fn is_empty(&self, line: u32) -> bool {
        self.ends[line as usize].head == NONE
    }

    /// The first packet on this line.
    pub(crate) fn first(&self, line: u32) -> Option<&SimPacket> {
        self.packets.get(self.ends[line as usize].head as usize).map(|slot| &slot.0)
    }

    /// Append a packet to this line; returns whether it is the first.
    #[inline]
    pub(crate) fn push(&mut self, line: u32, arrival: Time, packet: &SimPacket) -> bool {
        if self.free == NONE {
            self.grow();
        }
        let at = self.free;
        let free = &mut self.places[at as usize];
        self.free = free.next;
        *free = Place::LAST;
        self.packets[at as usize].0 = *packet;
        let new = Place { arrival, next: at };
        let ends = &mut self.ends[line as usize];
        let tail = std::mem::replace(&mut ends.tail, new.next);
        let Some(last) = self.places.get_mut(tail as usize) else {
            ends.head = new.next;
            return true;
        };
        *last = new;
        if tail == ends.head {
            ends.second = new;
        }
        false
    }

    /// Add a free place.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        self.free = self.places.len() as u32;
        let room = self.packets.capacity();
        self.places.push(Place::LAST);
        self.packets.push(Slot(SimPacket::NONE));
        if self.packets.capacity() != room {
            use_huge_pages(&self.places);
            use_huge_pages(&self.packets);
        }
    }

    /// Remove the first packet of this line, which must not be empty; also returns the arrival of the next packet, or
    /// [`Time::NEVER`].
    #[inline]
    pub(crate) fn pop(&mut self, line: u32) -> (SimPacket, Time) {
        let ends = &mut self.ends[line as usize];
        let at = ends.head;
        let Place { arrival, next } = ends.second;
        ends.head = next;
        if let Some(place) = self.places.get(next as usize) {
            ends.second = *place;
        } else {
            ends.tail = NONE;
        }
        self.places[at as usize].next = self.free;
        self.free = at;
        (self.packets[at as usize].0, arrival)
    }

    /// Fetch the second packet on this line, and the entry after it, for the time when it is the first.
    #[inline]
    pub(crate) fn fetch_second(&self, line: u32) {
        let second = self.ends[line as usize].second.next as usize;
        if let (Some(place), Some(slot)) = (self.places.get(second), self.packets.get(second)) {
            prefetch(place);
            prefetch(slot);
        }
    }

    /// All packets in flight.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &SimPacket> {
        self.ends.iter().flat_map(move |ends| {
            let here = |at: u32| (at != NONE).then_some(at);
            let on_line = std::iter::successors(here(ends.head), move |&at| here(self.places[at as usize].next));
            on_line.map(|at| &self.packets[at as usize].0)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Kind, Labels};
    use penstock_core::Ecn;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    fn packet(seq: u32) -> SimPacket {
        let labels = Labels::new(Kind::Data, Ecn::Not, 0);
        SimPacket { stamp: Time::ZERO, flow: 0, seq, hop: 0, extra: 0, size: 1, labels, dscp: 0, epoch: 0 }
    }

    proptest! {
        #[test]
        fn lines_are_queues(steps in prop::collection::vec((0_u32..3, any::<bool>()), 1..200)) {
            let mut lines = DelayLines::new(3);
            let mut oracle = [VecDeque::new(), VecDeque::new(), VecDeque::new()];
            for (seq, (line, push)) in (0..).zip(steps) {
                let queue = &mut oracle[line as usize];
                if push {
                    prop_assert_eq!(lines.push(line, Time::from_nanos(seq), &packet(seq as u32)), queue.is_empty());
                    queue.push_back(seq);
                } else if let Some(first) = queue.pop_front() {
                    let (packet, next) = lines.pop(line);
                    prop_assert_eq!(u64::from(packet.seq), first);
                    prop_assert_eq!(next, queue.front().map_or(Time::NEVER, |&seq| Time::from_nanos(seq)));
                }
                prop_assert_eq!(lines.iter().count(), oracle.iter().map(VecDeque::len).sum::<usize>());
            }
        }
    }

    #[test]
    fn places_are_reused() {
        let mut lines = DelayLines::new(2);
        for seq in 0..100 {
            lines.push(seq % 2, Time::ZERO, &packet(seq));
            lines.pop(seq % 2);
        }
        assert_eq!((lines.places.len(), size_of::<Slot>()), (1, 32));
    }
}
