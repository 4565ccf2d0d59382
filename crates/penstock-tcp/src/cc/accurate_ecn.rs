//! Accurate ECN: each ACK carries the number of marked packets as a three-bit counter.
//!
//! RFC 9768 (draft-ietf-tcpm-accurate-ecn), section 3.2.2; by the specification, T9 (recalled, not verified).
//!
//! # Law
//! The receiver counts marked packets, starting at 5, and sends the count modulo 8 (ACE) in the flags AE, CWR and ECE.
//! The sender adds `d = (ACE - s.cep) mod 8`.
//!
//! # Differences
//! * Accurate ECN is configured at both ends, not negotiated in the handshake; the TCP option with byte counters is
//!   left out.
//! * An ACK covers at most two packets, so the counter wraps unnoticed only if four ACKs in a row are lost while
//!   packets are marked. The appendix's `d_safer`, which guards against such a wrap, is left out.

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
    /// Process the counter of an ACK; returns the number of packets marked since the previous ACK.
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
