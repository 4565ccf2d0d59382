//! Intrusive doubly linked lists, for the packets of a queue, for queues that take turns, and for keys by their last
//! use.

/// No member.
pub(crate) const NONE: u32 = u32::MAX;

/// The neighbours of a member in a list. The last member has no next member; `previous` of the first member is
/// undefined.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Links {
    pub(crate) previous: u32,
    pub(crate) next: u32,
}

impl Links {
    pub(crate) const NONE: Self = Self { previous: NONE, next: NONE };
}

/// A member of a slice. For each number `LIST` it can be in one list at a time.
pub(crate) trait Linked<const LIST: usize = 0> {
    fn links(&self) -> &Links;
    fn links_mut(&mut self) -> &mut Links;
}

/// A list of members of a slice, by their indices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List<const LIST: usize = 0> {
    head: u32,
    /// Undefined if the list is empty.
    tail: u32,
    len: u32,
}

impl<const LIST: usize> List<LIST> {
    pub(crate) const EMPTY: Self = Self { head: NONE, tail: NONE, len: 0 };

    #[inline]
    pub(crate) const fn len(&self) -> u32 {
        self.len
    }

    /// The first member.
    #[inline]
    pub(crate) fn head(&self) -> Option<u32> {
        (self.head != NONE).then_some(self.head)
    }

    /// The first member itself; one comparison detects an empty list.
    #[inline]
    pub(crate) fn first<'a, M: Linked<LIST>>(&self, members: &'a [M]) -> Option<&'a M> {
        members.get(self.head as usize)
    }

    /// Like [`List::first`], with its index.
    #[inline]
    pub(crate) fn head_of<'a, M: Linked<LIST>>(&self, members: &'a mut [M]) -> (u32, Option<&'a mut M>) {
        (self.head, members.get_mut(self.head as usize))
    }

    /// The last member.
    #[inline]
    pub(crate) fn tail(&self) -> Option<u32> {
        (self.head != NONE).then_some(self.tail)
    }

    /// Appends member `id`, which is in no list of this number.
    #[inline]
    pub(crate) fn push<M: Linked<LIST>>(&mut self, members: &mut [M], id: u32) {
        *members[id as usize].links_mut() = self.links_of_next();
        self.push_linked(members, id);
    }

    /// The links of the member that is appended next.
    #[inline]
    pub(crate) const fn links_of_next(&self) -> Links {
        Links { previous: self.tail, next: NONE }
    }

    /// Like [`List::push`], for a member that already has its links.
    #[inline]
    pub(crate) fn push_linked<M: Linked<LIST>>(&mut self, members: &mut [M], id: u32) {
        if self.head == NONE {
            self.head = id;
        } else {
            members[self.tail as usize].links_mut().next = id;
        }
        self.tail = id;
        self.len += 1;
    }

    /// Inserts member `id`, which is in no list of this number, before member `next` of this list.
    pub(crate) fn insert_before<M: Linked<LIST>>(&mut self, members: &mut [M], id: u32, next: u32) {
        let previous = members[next as usize].links().previous;
        *members[id as usize].links_mut() = Links { previous, next };
        members[next as usize].links_mut().previous = id;
        if next == self.head {
            self.head = id;
        } else {
            members[previous as usize].links_mut().next = id;
        }
        self.len += 1;
    }

    /// Removes the first member.
    #[inline]
    pub(crate) fn pop<M: Linked<LIST>>(&mut self, members: &[M]) -> Option<u32> {
        let id = self.head;
        self.head = self.first(members)?.links().next;
        self.len -= 1;
        Some(id)
    }

    /// The index of the first member; [`NONE`] if there is none.
    #[inline]
    pub(crate) const fn head_index(&self) -> u32 {
        self.head
    }

    /// Removes the first member, which must exist and must be followed by `next`.
    #[inline]
    pub(crate) fn advance(&mut self, next: u32) {
        self.head = next;
        self.len -= 1;
    }

    /// Removes member `id` of this list.
    #[inline]
    pub(crate) fn remove<M: Linked<LIST>>(&mut self, members: &mut [M], id: u32) {
        let Links { previous, next } = *members[id as usize].links();
        if id == self.head {
            self.head = next;
        } else {
            members[previous as usize].links_mut().next = next;
        }
        if next == NONE {
            self.tail = previous;
        } else {
            members[next as usize].links_mut().previous = previous;
        }
        self.len -= 1;
    }

    /// All members, from the first on.
    pub(crate) fn iter<M: Linked<LIST>>(self, members: &[M]) -> impl Iterator<Item = &M> {
        core::iter::successors(self.first(members), |member| members.get(member.links().next as usize))
    }

    /// The member after `id`; the first member after the last.
    #[inline]
    pub(crate) fn after<M: Linked<LIST>>(&self, members: &[M], id: u32) -> u32 {
        match members[id as usize].links().next {
            NONE => self.head,
            next => next,
        }
    }

    /// The first member moves to the end.
    #[inline]
    pub(crate) fn rotate<M: Linked<LIST>>(&mut self, members: &mut [M]) {
        if self.len < 2 {
            return;
        }
        let (id, last) = (self.head, self.links_of_next());
        self.head = core::mem::replace(members[id as usize].links_mut(), last).next;
        members[self.tail as usize].links_mut().next = id;
        self.tail = id;
    }

    /// Members before member `id` move to the end, in their order.
    pub(crate) fn rotate_to<M: Linked<LIST>>(&mut self, members: &mut [M], id: u32) {
        if id == self.head {
            return;
        }
        members[self.tail as usize].links_mut().next = self.head;
        members[self.head as usize].links_mut().previous = self.tail;
        self.tail = members[id as usize].links().previous;
        self.head = id;
        members[self.tail as usize].links_mut().next = NONE;
    }
}

/// The member after `id` in its list with this number; `None` if `id` is the last member.
#[inline]
pub(crate) fn next<const LIST: usize, M: Linked<LIST>>(members: &[M], id: u32) -> Option<u32> {
    Some(members[id as usize].links().next).filter(|&next| next != NONE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use penstock_core::Rng;

    /// A member of two lists.
    impl<const LIST: usize> Linked<LIST> for [Links; 2] {
        fn links(&self) -> &Links {
            &self[LIST]
        }
        fn links_mut(&mut self) -> &mut Links {
            &mut self[LIST]
        }
    }

    fn all<const LIST: usize>(list: &List<LIST>, members: &[[Links; 2]]) -> Vec<u32> {
        let behind = |&id: &u32| Some(list.after(members, id)).filter(|&next| Some(next) != list.head());
        core::iter::successors(list.head(), behind).collect()
    }

    #[test]
    fn a_list_is_what_was_put_in_and_not_taken_out_and_turns() {
        let mut rng = Rng::stream(1, "list");
        let mut members = [[Links::NONE; 2]; 9];
        let mut other = List::<1>::EMPTY;
        (0..9).rev().for_each(|id| other.push(&mut members, id));
        let (mut list, mut plain) = (List::<0>::EMPTY, Vec::new());
        for _ in 0..20_000 {
            let id = rng.below(9) as u32;
            if let Some(place) = plain.iter().position(|&other| other == id) {
                plain.remove(place);
                list.remove(&mut members, id);
            } else if plain.is_empty() || rng.chance(0.5) {
                plain.push(id);
                list.push(&mut members, id);
            } else {
                let place = rng.below(plain.len() as u64) as usize;
                list.insert_before(&mut members, id, plain[place]);
                plain.insert(place, id);
            }
            match rng.below(4) {
                0 => {
                    let first = (!plain.is_empty()).then(|| plain.remove(0));
                    assert_eq!(list.pop(&members), first);
                }
                1 if !plain.is_empty() => {
                    plain.rotate_left(1);
                    list.rotate(&mut members);
                }
                2 if !plain.is_empty() => {
                    let by = rng.below(plain.len() as u64) as usize;
                    assert_eq!(list.after(&members, plain[by]), plain[(by + 1) % plain.len()]);
                    list.rotate_to(&mut members, plain[by]);
                    plain.rotate_left(by);
                }
                _ => {}
            }
            assert_eq!((list.head(), list.tail()), (plain.first().copied(), plain.last().copied()));
            assert_eq!((list.len() as usize, all(&list, &members)), (plain.len(), plain.clone()));
        }
        assert_eq!(all(&other, &members), [8, 7, 6, 5, 4, 3, 2, 1, 0]);
    }
}
