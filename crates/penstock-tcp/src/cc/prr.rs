//! Proportional rate reduction: the number of packets that an ACK releases during a recovery.
//!
//! RFC 9937, to which section numbers refer, and RFC 6937, which it obsoletes.
//!
//! # Algorithm
//! `RecoverFS` is the number of packets that may be delivered during the episode: the packets outstanding when it
//! begins, except the packets that SACK reported before the ACK that begins it (section 6.1). `prr_delivered` and
//! `prr_out` are the packets delivered and sent since. While the packets in the network exceed the threshold,
//! `SndCnt = ceil(prr_delivered * ssthresh / RecoverFS) - prr_out`; otherwise
//! `SndCnt = min(ssthresh - inflight, max(prr_delivered - prr_out, DeliveredData))`, the conservative bound (PRR-CRB).
//! A safe ACK, which advances `una` and reveals no further loss, adds one packet to that maximum (PRR-SSRB). The first
//! retransmission of an episode always leaves. The window is `inflight + SndCnt` (section 6.2).
//!
//! # Differences
//! * All quantities are whole packets.
//! * An ACK that triggers a rescue retransmission may be safe.
//! * `prr = "rfc6937"`: `RecoverFS` is the number of packets outstanding minus those sent by limited transmit, as in
//!   the examples of RFC 6937, section 3.1; every ACK counts as safe, and the first retransmission may have to wait.
//! * `prr = "linux"`: `RecoverFS` is the congestion window before the reduction. With the definition of RFC 9937, one
//!   Reno flow through PIE with ECN has 1.11 times the delay recorded with Linux 6.1, and through PIE without ECN 1.25
//!   instead of 1.13 times the drops.

use crate::params::RateReduction;
use penstock_core::math::floor;

/// The packets of a sender when an episode begins, after the ACK that begins it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beginning {
    /// Congestion window before the reduction.
    pub(crate) window: u32,
    /// `SND.NXT - SND.UNA`.
    pub(crate) outstanding: u32,
    /// Outstanding packets that are reported by SACK, or counted by duplicate ACKs.
    pub(crate) reported: u32,
    /// Packets that the ACK delivers.
    pub(crate) delivered: u32,
    /// Outstanding packets sent by limited transmit.
    pub(crate) limited: u32,
}

#[derive(Debug, Default)]
pub(crate) struct Prr {
    /// `prr_delivered` and `prr_out`.
    delivered: u32,
    out: u32,
    recover_fs: u32,
    /// By RFC 6937.
    by_rfc6937: bool,
}

impl Prr {
    pub(crate) fn new(form: RateReduction, beginning: &Beginning) -> Self {
        let Beginning { window, outstanding, reported, delivered, limited } = *beginning;
        let recover_fs = match form {
            RateReduction::Off | RateReduction::Rfc9937 => outstanding - reported + delivered,
            RateReduction::Rfc6937 => outstanding - limited,
            RateReduction::Linux => window,
        };
        let by_rfc6937 = form == RateReduction::Rfc6937;
        Self { delivered: 0, out: 0, recover_fs: recover_fs.max(1), by_rfc6937 }
    }

    /// A packet was sent (section 6.3).
    pub(crate) fn on_send(&mut self) {
        self.out += 1;
    }

    /// `SndCnt` after an ACK that delivered `newly` packets, with `inflight` packets in the network. `is_safe`: the ACK advances
    /// `una` and reveals no further loss (section 6.2).
    pub(crate) fn on_delivery(&mut self, newly: u32, inflight: u32, ssthresh: f64, is_safe: bool) -> u32 {
        self.delivered += newly;
        let ssthresh = floor(ssthresh) as u32;
        let count = if inflight > ssthresh {
            let share = (u64::from(self.delivered) * u64::from(ssthresh)).div_ceil(u64::from(self.recover_fs));
            u32::try_from(share).unwrap_or(u32::MAX).saturating_sub(self.out)
        } else {
            let bonus = u32::from(is_safe || self.by_rfc6937);
            (self.delivered.saturating_sub(self.out).max(newly) + bonus).min(ssthresh - inflight)
        };
        count.max(self.min_count())
    }

    /// Minimum of `SndCnt`.
    fn min_count(&self) -> u32 {
        u32::from(self.out == 0 && !self.by_rfc6937)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_reported_before_the_episode_do_not_count_as_delivered_in_it() {
        // RFC 9937, section 4: recovery begins late, with a window of 20 kept full while 10 packets were reported. The
        // ACK that begins the recovery reports one more packet, and one packet is lost. One packet leaves for every two
        // delivered; by RFC 6937, for every three.
        let beginning = Beginning { window: 20, outstanding: 30, reported: 11, delivered: 1, limited: 0 };
        let sends = |form| {
            let (mut prr, mut inflight) = (Prr::new(form, &beginning), 18);
            [(); 9].map(|()| {
                let count = prr.on_delivery(1, inflight, 10.0, false);
                (0..count).for_each(|_| prr.on_send());
                inflight = inflight + count - 1;
                count
            })
        };
        assert_eq!(sends(RateReduction::Rfc9937), [1, 0, 1, 0, 1, 0, 1, 0, 1]);
        assert_eq!(sends(RateReduction::Linux), [1, 0, 1, 0, 1, 0, 1, 0, 1], "the window is 20 as well");
        assert_eq!(sends(RateReduction::Rfc6937), [1, 0, 0, 1, 0, 0, 1, 0, 0]);
    }

    #[test]
    fn the_first_retransmission_is_forced_except_by_rfc_6937() {
        let beginning = Beginning { window: 20, outstanding: 12, reported: 1, delivered: 1, limited: 0 };
        let first = |form| Prr::new(form, &beginning).on_delivery(1, 10, 10.0, false);
        assert_eq!([RateReduction::Rfc9937, RateReduction::Linux, RateReduction::Rfc6937].map(first), [1, 1, 0]);
    }

    #[test]
    fn below_the_threshold_a_safe_ack_releases_one_packet_more() {
        let beginning = Beginning { window: 20, outstanding: 20, reported: 1, delivered: 1, limited: 0 };
        let mut prr = Prr::new(RateReduction::Rfc9937, &beginning);
        assert_eq!([false, true].map(|is_safe| prr.on_delivery(2, 4, 10.0, is_safe)), [2, 5]);
    }
}
