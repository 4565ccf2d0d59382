//! Intrusive doubly linked lists of numbered queues.

use super::packet_slab::NONE;

/// The neighbours of a queue in the list that it is in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Links {
    previous: u32,
    next: u32,
}

impl Links {
    pub(crate) const NONE: Self = Self { previous: NONE, next: NONE };
}

/// A queue that can be in a list, one at a time.
pub(crate) trait Linked {
    fn links(&self) -> Links;
    fn links_mut(&mut self) -> &mut Links;
}

/// A list of queues.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueueList {
    head: u32,
    tail: u32,
    len: u32,
}

impl QueueList {
    pub(crate) const EMPTY: Self = Self { head: NONE, tail: NONE, len: 0 };

    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// The queue at the head.
    pub(crate) fn head(&self) -> Option<u32> {
        if self.head == NONE { None } else { Some(self.head) }
    }

    /// Appends queue `id`, which is in no list.
    pub(crate) fn push<Q: Linked>(&mut self, queues: &mut [Q], id: u32) {
        *queues[id as usize].links_mut() = Links { previous: self.tail, next: NONE };
        if self.tail == NONE {
            self.head = id;
        } else {
            queues[self.tail as usize].links_mut().next = id;
        }
        self.tail = id;
        self.len += 1;
    }

    /// The queue after `id` in this list; the first one after the last.
    pub(crate) fn after<Q: Linked>(&self, queues: &[Q], id: u32) -> u32 {
        match queues[id as usize].links().next {
            NONE => self.head,
            next => next,
        }
    }

    /// Rotates this list so that queue `id` is its head: the queues before it move to the end, in their order.
    pub(crate) fn rotate_to<Q: Linked>(&mut self, queues: &mut [Q], id: u32) {
        if id == self.head {
            return;
        }
        queues[self.tail as usize].links_mut().next = self.head;
        queues[self.head as usize].links_mut().previous = self.tail;
        self.tail = queues[id as usize].links().previous;
        self.head = id;
        queues[self.tail as usize].links_mut().next = NONE;
        queues[id as usize].links_mut().previous = NONE;
    }

    /// Removes queue `id` from this list.
    pub(crate) fn remove<Q: Linked>(&mut self, queues: &mut [Q], id: u32) {
        let Links { previous, next } = queues[id as usize].links();
        if previous == NONE {
            self.head = next;
        } else {
            queues[previous as usize].links_mut().next = next;
        }
        if next == NONE {
            self.tail = previous;
        } else {
            queues[next as usize].links_mut().previous = previous;
        }
        self.len -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use penstock_core::Rng;

    impl Linked for Links {
        fn links(&self) -> Links {
            *self
        }
        fn links_mut(&mut self) -> &mut Links {
            self
        }
    }

    #[test]
    fn a_list_is_what_was_put_in_and_not_taken_out_and_turns() {
        let mut rng = Rng::stream(1, "list");
        let mut queues = [Links::NONE; 9];
        let (mut list, mut plain) = (QueueList::EMPTY, Vec::new());
        for _ in 0..10_000 {
            let id = rng.below(9) as u32;
            if let Some(place) = plain.iter().position(|&other| other == id) {
                plain.remove(place);
                list.remove(&mut queues, id);
            } else {
                plain.push(id);
                list.push(&mut queues, id);
            }
            if !plain.is_empty() {
                let by = rng.below(plain.len() as u64) as usize;
                assert_eq!(list.after(&queues, plain[by]), plain[(by + 1) % plain.len()]);
                list.rotate_to(&mut queues, plain[by]);
                plain.rotate_left(by);
            }
            assert_eq!((list.len() as usize, list.head()), (plain.len(), plain.first().copied()));
            let behind = |&id: &u32| Some(list.after(&queues, id)).filter(|&next| Some(next) != list.head());
            assert_eq!(core::iter::successors(list.head(), behind).collect::<Vec<_>>(), plain);
        }
    }
}
