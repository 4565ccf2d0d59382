//! Generalized processor sharing (GPS): the fluid system that weighted fair queueing follows.
//!
//! A. K. Parekh, R. G. Gallager, "A Generalized Processor Sharing Approach to Flow Control in Integrated Services
//! Networks: The Single-Node Case", IEEE/ACM Trans. Networking 1(3), 1993. All busy sessions are served simultaneously,
//! session i at rate C phi_i / (sum of phi over the busy sessions).

use super::exact_shares::ExactShares;
use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Reverse;
use penstock_core::{Rate, Time};

/// The virtual time of the fluid system, in O(log n) amortized time per packet. Finish tags are exact sums. V, which
/// grows by the rate divided by the sum of weights, is rounded down to a unit of the tags.
pub(super) struct Gps {
    shares: ExactShares,
    /// V, in the units of tags.
    v: u128,
    at: Time,
    bits_per_nano: f64,
    sessions: Vec<Session>,
    /// Busy sessions, one entry each, sorted by one of the session's finish tags, which is at most its last one.
    busy: BinaryHeap<Reverse<(u128, u32)>>,
    /// Sum of the weights of the busy sessions.
    busy_phi: f64,
    /// Number of restarts: V restarts from 0 when both systems are empty, and tags of an earlier epoch are ignored.
    epoch: u32,
    /// Whether the packet system is empty.
    resting: bool,
}

#[derive(Clone, Copy)]
struct Session {
    phi: f64,
    /// F of the last packet.
    finish: u128,
    epoch: u32,
    is_busy: bool,
}

/// Start and finish of a packet in the fluid system, in virtual time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Service {
    pub(super) start: u128,
    pub(super) finish: u128,
}

impl Gps {
    /// An empty system with sessions of these weights; later sessions get weight 1.
    pub(super) fn new(phis: &[f64], rate: Rate) -> Self {
        Self {
            shares: ExactShares::new(phis),
            v: 0,
            at: Time::ZERO,
            bits_per_nano: bits_per_nano(rate),
            sessions: phis.iter().copied().map(Session::new).collect(),
            busy: BinaryHeap::new(),
            busy_phi: 0.0,
            epoch: 0,
            resting: true,
        }
    }

    /// A packet of `size` bytes arrives: S = max(V, F of the previous packet), F = S + L / phi.
    pub(super) fn arrive(&mut self, now: Time, session: usize, size: u32) -> Service {
        self.advance(now);
        if self.resting && self.busy.is_empty() {
            self.v = 0;
            self.epoch = self.epoch.wrapping_add(1);
        }
        self.resting = false;
        if session >= self.sessions.len() {
            self.sessions.resize(session + 1, Session::new(1.0));
        }
        let Session { phi, finish, epoch, is_busy } = self.sessions[session];
        let start = if epoch == self.epoch { finish.max(self.v) } else { self.v };
        let finish = start + self.shares.cost(session, size);
        self.sessions[session] = Session { phi, finish, epoch: self.epoch, is_busy: true };
        if !is_busy {
            self.busy.push(Reverse((finish, session as u32)));
            self.busy_phi += phi;
        }
        Service { start, finish }
    }

    /// The session now belongs to another flow, which is not charged for packets of the old one.
    pub(super) fn forget(&mut self, now: Time, session: usize) {
        self.advance(now);
        let Some(forgotten) = self.sessions.get_mut(session) else { return };
        forgotten.finish = 0;
        if core::mem::replace(&mut forgotten.is_busy, false) {
            let phi = forgotten.phi;
            self.busy.retain(|&Reverse((_, number))| number as usize != session);
            self.busy_phi = if self.busy.is_empty() { 0.0 } else { self.busy_phi - phi };
        }
    }

    /// Make room for sessions with numbers below `sessions`.
    pub(super) fn reserve(&mut self, sessions: u32) {
        self.sessions.reserve(sessions as usize);
        self.busy.reserve(sessions as usize);
    }

    /// V now: dV/dt = C / sum of phi over the busy sessions. A session is busy until V reaches the F of its last packet.
    pub(super) fn advance(&mut self, now: Time) {
        let mut bits = now.since(self.at).as_nanos() as f64 * self.bits_per_nano;
        self.at = now;
        while let Some(&Reverse((first, number))) = self.busy.peek() {
            let session = &mut self.sessions[number as usize];
            if session.finish > first {
                self.busy.pop();
                self.busy.push(Reverse((session.finish, number)));
                continue;
            }
            let wanted = self.shares.in_bits(first.saturating_sub(self.v)) * self.busy_phi;
            if wanted > bits {
                self.v += self.shares.tag(bits / self.busy_phi);
                return;
            }
            bits -= wanted;
            self.v = self.v.max(first);
            self.busy.pop();
            session.is_busy = false;
            // Reset the sum to an exact 0, so that rounding errors do not accumulate.
            self.busy_phi = if self.busy.is_empty() { 0.0 } else { self.busy_phi - session.phi };
        }
    }

    /// V as of the last [`Gps::advance`], in bits for a session of weight 1.
    pub(super) fn v(&self) -> f64 {
        self.shares.in_bits(self.v)
    }

    /// V one nanosecond later; times have a resolution of one nanosecond.
    pub(super) fn v_soon(&self) -> u128 {
        if self.busy.is_empty() { u128::MAX } else { self.v + self.shares.tag(self.bits_per_nano / self.busy_phi) }
    }

    /// The packet system has become empty.
    pub(super) fn rest(&mut self) {
        self.resting = true;
    }

    /// The rate of the link changes at `now`.
    pub(super) fn set_rate(&mut self, now: Time, rate: Rate) {
        self.advance(now);
        self.bits_per_nano = bits_per_nano(rate);
    }
}

impl Session {
    const fn new(phi: f64) -> Self {
        Self { phi, finish: 0, epoch: 0, is_busy: false }
    }
}

fn bits_per_nano(rate: Rate) -> f64 {
    rate.bits_per_second() as f64 / 1e9
}

/// A heap of the heads of classes by tag, the smallest first; of equal tags, the class with the lowest index.
pub(super) struct TagHeap(BinaryHeap<Reverse<(u128, u32)>>);

impl TagHeap {
    pub(super) const fn new() -> Self {
        Self(BinaryHeap::new())
    }

    /// Make room for this many heads.
    pub(super) fn reserve(&mut self, heads: u32) {
        self.0.reserve(heads as usize);
    }

    pub(super) fn push(&mut self, class: usize, tag: u128) {
        self.0.push(Reverse((tag, class as u32)));
    }

    pub(super) fn pop(&mut self) {
        self.0.pop();
    }

    /// The first class and its tag; outdated entries are removed.
    pub(super) fn first(&mut self, holds: impl Fn(usize, u128) -> bool) -> Option<(usize, u128)> {
        while let Some(&Reverse((tag, class))) = self.0.peek() {
            if holds(class as usize, tag) {
                return Some((class as usize, tag));
            }
            self.0.pop();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Time = Time::from_nanos(1_000_000_000);

    #[test]
    fn one_session_is_served_at_the_full_rate_whatever_its_weight() {
        // 8 kbit/s, weight 0.25: V grows by 32000 each second while the session is busy.
        let mut gps = Gps::new(&[0.25, 0.75], Rate::from_bits_per_second(8000));
        let service = gps.arrive(Time::ZERO, 0, 2000);
        assert_eq!((service.start, gps.shares.in_bits(service.finish)), (0, 64_000.0));
        gps.advance(SECOND);
        assert_eq!(gps.v(), 32_000.0);
        // The fluid system is empty after two seconds; V then stands still.
        gps.advance(Time::from_nanos(9_000_000_000));
        assert_eq!(gps.v(), 64_000.0);
    }

    #[test]
    fn v_slows_down_when_more_sessions_are_busy() {
        let mut gps = Gps::new(&[0.5, 0.5], Rate::from_bits_per_second(8000));
        gps.arrive(Time::ZERO, 0, 1000);
        gps.arrive(Time::ZERO, 1, 500);
        // Both busy: session 1 has 4000 bits and gets 4000 bit/s, so it ends after 1 s at V = 8000.
        gps.advance(SECOND);
        assert_eq!(gps.v(), 8000.0);
        // Then session 0 is alone with its last 4000 bits, for half a second.
        gps.advance(Time::from_nanos(1_250_000_000));
        assert_eq!(gps.v(), 12_000.0);
        let start = gps.arrive(Time::from_nanos(1_250_000_000), 1, 500).start;
        assert_eq!(gps.shares.in_bits(start), 12_000.0);
    }

    #[test]
    fn v_starts_again_when_both_systems_are_empty() {
        let mut gps = Gps::new(&[1.0], Rate::from_bits_per_second(8000));
        gps.arrive(Time::ZERO, 0, 1000);
        let start = gps.arrive(Time::from_nanos(5_000_000_000), 0, 1000).start;
        assert_eq!(gps.shares.in_bits(start), 8000.0);
        gps.rest();
        assert_eq!(gps.arrive(Time::from_nanos(9_000_000_000), 0, 1000).start, 0);
    }
}
