//! Proportional rate reduction: the number of packets that an ACK releases during a recovery.
//!
//! RFC 6937, section 3, with the slow start reduction bound (PRR-SSRB).
//!
//! # Law
//! `delivered` and `out` are the packets delivered and sent since the recovery began, `RecoverFS` the packets outstanding when it
//! began. While `pipe > ssthresh`, `sndcnt = ceil(delivered * ssthresh / RecoverFS) - out`; otherwise
//! `sndcnt = min(ssthresh - pipe, max(delivered - out, delivered now) + 1)`. An ACK that is not safe falls under the conservative
//! bound (PRR-CRB): `min(ssthresh - pipe, max(delivered - out, delivered now))`. The window is `pipe + sndcnt`.
//!
//! # Differences
//! * In whole packets; `RecoverFS` does not count packets sent by limited transmit, as in the examples of section 3.1.

use penstock_core::math::floor;

#[derive(Debug, Default)]
pub(crate) struct Prr {
    delivered: u32,
    out: u32,
    /// RecoverFS.
    flight: u32,
}

impl Prr {
    pub(crate) fn new(flight: u32) -> Self {
        Self { delivered: 0, out: 0, flight: flight.max(1) }
    }

    /// A packet was sent.
    pub(crate) fn on_send(&mut self) {
        self.out += 1;
    }

    /// Minimum of `sndcnt`: the first retransmission of a recovery leaves immediately.
    pub(crate) fn least(&self) -> u32 {
        u32::from(self.out == 0)
    }

    /// `sndcnt` after an ACK that delivered `now` packets, with `pipe` packets in the network. `safe`: the slow start bound applies.
    pub(crate) fn on_delivery(&mut self, now: u32, pipe: u32, ssthresh: f64, safe: bool) -> u32 {
        self.delivered += now;
        let ssthresh = floor(ssthresh) as u32;
        if pipe > ssthresh {
            let share = (u64::from(self.delivered) * u64::from(ssthresh)).div_ceil(u64::from(self.flight));
            u32::try_from(share).unwrap_or(u32::MAX).saturating_sub(self.out)
        } else {
            let limit = self.delivered.saturating_sub(self.out).max(now) + u32::from(safe);
            limit.min(ssthresh - pipe)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::String;

    /// Packets sent for each ACK of packets `first..`, of a window of 20 whose first `first` packets are lost; limited transmit
    /// sends two new packets before.
    fn example(first: u32) -> String {
        let (mut prr, mut sent) = (Prr::new(20), String::from("NN"));
        let mut pipe = 22 - 2;
        for ack in first + 2..17.max(first + 5) {
            let begins = ack == first + 2;
            pipe = if begins { 22 - 3 - first } else { pipe - 1 };
            let mut send = prr.on_delivery(1, pipe, 10.0, true);
            if begins {
                send = send.max(1);
            }
            sent.push(char::from_digit(send, 10).expect("few"));
            (0..send).for_each(|_| prr.on_send());
            pipe += send;
        }
        sent
    }

    #[test]
    fn a_single_loss_is_repaired_as_in_the_example_of_section_3_1() {
        // "sent:  N  N  R     N     N     N     N     N     N" up to packet 16. For 17 to 19 the example sends nothing, one and one:
        // its pipe does not count the retransmission, that of RFC 6675 does and reaches the threshold one packet later.
        assert_eq!(example(1), "NN10101010101010");
    }

    #[test]
    fn fifteen_losses_are_repaired_as_in_the_example_of_section_3_1() {
        // PRR-SSRB; "sent:  N  N  2R 2R 2R".
        assert_eq!(example(15), "NN222");
    }
}
