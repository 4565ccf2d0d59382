//! Proportional rate reduction: how much a recovery may send for each acknowledgement.
//!
//! RFC 6937, section 3, with the slow start reduction bound (PRR-SSRB).
//!
//! # Law
//! With `delivered` and `out` what the receiver has got and what was sent since the recovery began, and `RecoverFS` what was
//! outstanding then: above the threshold `sndcnt = ceil(delivered * ssthresh / RecoverFS) - out`; at or below it
//! `sndcnt = min(ssthresh - pipe, max(delivered - out, delivered now) + 1)`; with the conservative bound (PRR-CRB), for an
//! acknowledgement that is not safe, it is `min(ssthresh - pipe, max(delivered - out, delivered now))`. The window is
//! `pipe + sndcnt`.
//!
//! # Differences
//! * In whole packets; `RecoverFS` does not count what limited transmit has added, as in the examples of section 3.1.

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

    /// The first retransmission of a recovery goes out at once.
    pub(crate) fn least(&self) -> u32 {
        u32::from(self.out == 0)
    }

    /// So many packets were delivered just now, and `pipe` are thought to be in the network: how many may be sent. `safe`: by the
    /// slow start bound.
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

    /// What is sent for each of the acknowledgements of packets `first..`, of a window of 20 whose first `first` packets are
    /// lost; two new packets go out by limited transmit.
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
