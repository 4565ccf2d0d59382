//! NewReno: fast recovery until everything that was outstanding at its beginning is ACKed.
//!
//! J. Hoe, "Improving the Start-up Behavior of a Congestion Control Scheme for TCP", SIGCOMM 1996; RFC 6582.
//!
//! # Algorithm
//! Until the first ACK of new data, recovery is that of Reno. An ACK that covers everything outstanding when the
//! recovery began (`recover`) ends the recovery with `cwnd = min(ssthresh, max(outstanding, 1) + 1)`. An ACK of new
//! data below `recover` is *partial*: the sender immediately retransmits the first missing packet and deflates the
//! window by the number of ACKed packets minus one. Only the first partial ACK restarts the timer (`impatient`, section
//! 4).
//!
//! With `prr`, proportional rate reduction sets the window in recovery ([`super::prr_without_sack`]); at the end of the
//! recovery the window is `ssthresh`.
//!
//! # Differences
//! * The inflation is a variable separate from `cwnd`. A partial ACK of at least as many packets as the inflation
//!   reduces `cwnd` by the remainder, but not below one packet, and sets the inflation to one packet. RFC 6582 (section
//!   3.2, step 4) deflates without such a bound. Without `deflation`, a partial ACK ends the inflation and does not
//!   change `cwnd`.
//! * `recovery = "ns2"`: an ACK releases at most two new packets during recovery; the end of the recovery does not
//!   reset `cwnd`, and the ACK that ends it also grows `cwnd`.

use super::prr_without_sack::CountedRecovery;
use super::reno::on_duplicate;
use super::{CongestionControl, on_new_ack, restart_after_timeout};
use crate::packets_and_acks::{Ack, PacketSink};
use crate::params::RateReduction;
use crate::state::{LastReduction, SenderState};
use alloc::boxed::Box;
use penstock_core::Time;

/// Smallest window that a partial ACK leaves, in packets.
const MIN_DEFLATED: f64 = 1.0;

#[derive(Debug, Default)]
pub(crate) struct NewReno {
    /// Whether a partial ACK has arrived in this recovery.
    partial: bool,
    /// With `prr`: the recovery under way.
    counted: Option<Box<CountedRecovery>>,
}

impl CongestionControl for NewReno {
    fn fill<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
        match &mut self.counted {
            Some(counted) => counted.fill(s, now, net),
            None => s.fill_window(now, net),
        }
    }

    #[inline]
    fn on_ack<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, ack: &Ack<'_>, net: &mut N) {
        if ack.ece && s.ect {
            s.on_echo(now, ack.ack);
        }
        if self.counted.is_some() {
            return self.on_ack_in_proportion(s, now, ack, net);
        }
        if ack.ack > s.una {
            if s.last_reduction == LastReduction::Loss && ack.ack < s.recover {
                self.on_partial(s, now, ack, net);
            } else if s.inflation > 0 {
                self.end_recovery(s, now, ack);
            } else {
                self.partial = false;
                on_new_ack(s, now, ack);
            }
        } else {
            let window = s.window();
            on_duplicate(s, now, net);
            if s.params.prr != RateReduction::Off && s.inflation > 0 {
                s.inflation = 0;
                self.counted = Some(Box::new(CountedRecovery::begin(s, now, window, net)));
                return;
            }
        }
        if s.dupacks == 0 {
            s.fill_window(now, net);
        } else if s.dupacks >= s.params.dupack_threshold {
            s.fill_window_by(s.rules().recovery_burst(), now, net);
        }
    }

    fn on_timeout<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, net: &mut N) {
        self.partial = false;
        self.counted = None;
        s.dupacks = 0;
        restart_after_timeout(s, now, net);
    }
}

impl NewReno {
    fn on_ack_in_proportion<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, ack: &Ack<'_>, net: &mut N) {
        match &mut self.counted {
            Some(counted) if ack.ack == s.una => counted.on_duplicate(s, now, net),
            Some(counted) if ack.ack < s.recover => counted.on_partial(s, now, ack, net),
            _ => {
                self.counted = None;
                s.last_reduction = LastReduction::Recovered;
                s.acknowledge(now, ack);
                s.set_cwnd(now, s.ssthresh);
                s.fill_window(now, net);
            }
        }
    }

    fn on_partial<N: PacketSink>(&mut self, s: &mut SenderState, now: Time, ack: &Ack<'_>, net: &mut N) {
        let acked = ack.ack - s.una;
        if !s.params.deflation {
            s.inflation = 0;
        } else if s.inflation > acked {
            s.inflation -= acked - 1;
        } else {
            let rest = acked - s.inflation;
            s.set_cwnd(now, (s.cwnd - f64::from(rest)).max(MIN_DEFLATED));
            s.inflation = 1;
        }
        s.acknowledge_part(ack.ack);
        let lost = s.una;
        s.transmit(now, lost, net);
        s.next = s.next.max(lost + 1);
        if !(self.partial && s.params.impatient) {
            s.restart_timer(now);
        }
        self.partial = true;
    }

    fn end_recovery(&mut self, s: &mut SenderState, now: Time, ack: &Ack<'_>) {
        self.partial = false;
        s.inflation = 0;
        if s.last_reduction == LastReduction::Loss {
            s.last_reduction = LastReduction::Recovered;
        }
        if s.rules().recovery_ends_with_growth() {
            on_new_ack(s, now, ack);
        } else {
            s.acknowledge(now, ack);
            // RFC 6582, section 3.2, step 3, first choice: no burst.
            let outstanding = f64::from(s.outstanding().max(1));
            s.set_cwnd(now, s.ssthresh.min(outstanding + 1.0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packets_and_acks::Segment;
    use crate::params::{Profile, TcpParams};
    use crate::recovery::RecoveryRules;

    struct Discard;

    impl PacketSink for Discard {
        fn transmit(&mut self, _segment: Segment) {}
    }

    /// Window and inflation after a partial ACK of `acked` packets, given their values before it.
    fn deflated(recovery: RecoveryRules, cwnd: f64, inflation: u32, acked: u32) -> (f64, u32) {
        let params = TcpParams { recovery, prr: RateReduction::Off, deflation: true, ..TcpParams::of(Profile::Linux) };
        let mut s = SenderState::new(params.into());
        s.start_transfer(Time::ZERO, 1000);
        (s.una, s.next, s.max, s.recover) = (100, 140, 140, 140);
        (s.cwnd, s.ssthresh, s.inflation, s.last_reduction) = (cwnd, cwnd, inflation, LastReduction::Loss);
        s.dupacks = 3;
        let ack = Ack { ack: 100 + acked, stamp: Time::ZERO, ece: false, ace: 0, sack: &[], retransmission: false };
        NewReno::default().on_partial(&mut s, Time::ZERO, &ack, &mut Discard);
        (s.cwnd, s.inflation)
    }

    #[test]
    fn a_partial_ack_deflates_by_what_it_acks_less_one_packet_whatever_the_rules() {
        for rules in [RecoveryRules::Ns2, RecoveryRules::Rfc] {
            assert_eq!(deflated(rules, 20.0, 10, 4), (20.0, 7));
            // RFC 6582: 20 + 10 - 10 + 1 = 21.
            assert_eq!(deflated(rules, 20.0, 10, 10), (20.0, 1));
            // 20 + 10 - 15 + 1 = 16, one of which is inflation.
            assert_eq!(deflated(rules, 20.0, 10, 15), (15.0, 1));
        }
    }

    #[test]
    fn a_partial_ack_leaves_a_window_of_one_packet_and_an_inflation_of_one() {
        for rules in [RecoveryRules::Ns2, RecoveryRules::Rfc] {
            assert_eq!(deflated(rules, 4.0, 3, 6), (1.0, 1));
            assert_eq!(deflated(rules, 4.0, 3, 30), (1.0, 1));
        }
    }
}
