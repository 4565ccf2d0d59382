//! Accurate ECN: how many packets were marked, as a counter in three bits of each acknowledgement.
//!
//! RFC 9768 (draft-ietf-tcpm-accurate-ecn), section 3.2.2; by the specification, T9 (recalled, not verified).
//!
//! # Law
//! The receiver counts marked packets from 5 on and sends the count modulo 8, ACE, in the flags AE, CWR and ECE. The sender
//! adds `d = (ACE - s.cep) mod 8`.
//!
//! # Differences
//! * The handshake that agrees on this and the option with byte counters are not there; both ends know.
//! * An acknowledgement answers at most two packets, so the count wraps unseen only if four of them are lost in a row in the
//!   middle of marks. That is not guarded against (`d_safer` of the appendix).

/// The count before the first marked packet.
pub(crate) const FIRST: u8 = 5;

/// The sender's copy of the count.
#[derive(Debug)]
pub(crate) struct Counter {
    ace: u8,
}

impl Default for Counter {
    fn default() -> Self {
        Self { ace: FIRST }
    }
}

impl Counter {
    /// An acknowledgement brings this count; gives how many packets were marked since the last one.
    pub(crate) fn advance(&mut self, ace: u8) -> u32 {
        let marked = ace.wrapping_sub(self.ace) % 8;
        self.ace = ace;
        u32::from(marked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_followed_modulo_eight() {
        let mut counter = Counter::default();
        assert_eq!([5, 7, 0, 0, 3, 2].map(|ace| counter.advance(ace)), [0, 2, 1, 0, 3, 7]);
    }
}
