//! BBR, version 1: a sending rate and a window from a model of the path, its bandwidth and its round-trip time.
//!
//! N. Cardwell, Y. Cheng, C. S. Gunn, S. Hassas Yeganeh, V. Jacobson, "BBR: Congestion-Based Congestion Control", ACM
//! Queue 14(5), 2016; N. Cardwell, Y. Cheng, S. Hassas Yeganeh, V. Jacobson, "BBR Congestion Control",
//! draft-cardwell-iccrg-bbr-congestion-control-00, 2017, to which section numbers refer. Where these two sources leave
//! a choice, recordings of Linux 6.1 decide (docs/explanation/linux.md).
//!
//! # Algorithm
//! `BtlBw` is the maximum delivery rate of the current round and the previous ten (4.1.1), `RTprop` the minimum
//! round-trip time of the last 10 s (4.1.2). Retransmitted packets, whose ACKs are ambiguous, give no round-trip time.
//! Packets leave at `(1 - margin) gain BtlBw` (4.2.1); the window is `cwnd_gain BtlBw RTprop` plus three send quanta,
//! at least four packets (4.2.3). A send quantum is the data that a host hands to its interface at a time: 1 packet
//! below 1.2 Mb/s, 2 below 24 Mb/s, then the whole packets that 1 ms sends, up to 64 kB (4.2.2). The added quanta allow
//! for packets inside the hosts. Simulated hosts hold no packets, so the extra packets end up in the network queue.
//! * Startup (4.3.2): both gains 2/ln 2, until the bandwidth has grown by less than a quarter in three successive rounds.
//! * Drain (4.3.3): pacing gain ln 2/2, until at most `BtlBw RTprop` packets are in flight.
//! * `ProbeBw` (4.3.4): window gain 2; phases with pacing gains 1.25, 0.75 and six times 1, each as long as `RTprop`. The phase
//!   of gain 1.25 lasts until a quarter more than `BtlBw RTprop`, plus three quanta, is in flight or a packet is lost;
//!   the phase of gain 0.75 ends early once the surplus has drained. The first phase is drawn at random, but is never
//!   0.75.
//! * `ProbeRtt` (4.3.5): when no round-trip time was below `RTprop` for 10 s, a window of four packets for 200 ms and a round.
//!
//! Where losses reveal a policer ([`super::policer_detection`]) packets leave at its rate, with gain 1.
//!
//! The first loss of a recovery reduces the window to the packets in flight (4.2.3), and each further loss reduces it by one
//! packet. For one round each delivered packet releases one packet (packet conservation); then the window grows again,
//! and the end of the recovery restores it. A recovery that begins with the ACK that ends another one continues the
//! earlier recovery. A timeout reduces the window to one packet. Marks do not change the window; the sender confirms
//! their echo once per window, since otherwise the receiver would never stop echoing (RFC 3168, section 6.1.2).
//!
//! # Differences
//! * The first phase is drawn by hashing the time: the sender has no random generator, so no other flow's draws change.
//! * The special restart after an idle period is left out.
//! * The margin, the rounding to an even number of packets, and the two packets added while probing for bandwidth are
//!   not in the draft; recordings of Linux show them. The draft's filter of `BtlBw` has ten rounds in all.
//! * Without loss detection by time (`rack = false`), further losses in a recovery do not reduce the window.
//! * Four flows with a round trip of 80 ms through FQ-CoDel without ECN have 0.89 of the drops of Linux 6.1 (2590
//!   against 2920 in 50 s, means over several start times); with ECN, delay and marks agree. The missing drops are
//!   those that follow a probe of the round-trip time (docs/explanation/linux.md).

use super::ack_aggregation::Aggregation;
use super::policer_detection::{Policer, PolicerInput};
use super::window_control::{Delivery, WindowControl};
use crate::packets_and_acks::Ack;
use crate::rate_sample::RateSample;
use crate::state::{HALF, SenderState};
use penstock_core::hash::mix;
use penstock_core::math::floor;
use penstock_core::{Span, Time};

/// 2 / ln 2.
const HIGH_GAIN: f64 = 2.885;
const CWND_GAIN: f64 = 2.0;
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// Number of rounds, the current one included, over which the maximum bandwidth is taken.
const BW_ROUNDS: usize = 11;
/// How long a round-trip time remains the minimum, and how long the window stays small to measure a new one.
const RTPROP_FILTER: Span = Span::from_millis(10_000);
const PROBE_RTT_TIME: Span = Span::from_millis(200);
const MIN_CWND: f64 = 4.0;
/// Send quanta that the window adds for packets inside the hosts.
const QUANTA: f64 = 3.0;
/// Rates in bit/s below which a send quantum is one packet and two packets, and the maximum quantum in bytes.
const LONE_RATE: f64 = 1.2e6;
const PAIR_RATE: f64 = 24e6;
const MAX_BYTES: f64 = 65_536.0;
const FULL_GROWTH: f64 = 1.25;
const FULL_ROUNDS: u32 = 3;

const UNKNOWN: Span = Span::from_nanos(u64::MAX);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Startup,
    Drain,
    ProbeBw { phase: usize, since: Time },
    ProbeRtt { until: Option<Time>, round_passed: bool },
}

#[derive(Debug)]
pub(crate) struct Bbr {
    mode: Mode,
    /// Maximum rate of each recent round that had a sample, and the number of rounds since.
    rates: [f64; BW_ROUNDS],
    /// `BtlBw`: the maximum of `rates`.
    btl_bw: f64,
    round: usize,
    passed: usize,
    /// The round ends with the delivery of a packet that was sent after this many packets had been delivered.
    round_ends: u32,
    full_bw: f64,
    full_rounds: u32,
    filled: bool,
    rtprop: Span,
    rtprop_at: Time,
    /// The window, in packets; 0 before the first ACK.
    cwnd: f64,
    /// The send quantum, in packets.
    quantum: f64,
    aggregation: Aggregation,
    policer: Policer,
    /// The window to restore.
    prior: f64,
    /// Whether a recovery is under way, and whether it is in its first round.
    recovering: bool,
    conserving: bool,
    /// Whether the window has been reduced for the most recent losses.
    entered: bool,
    /// A timeout is over when this packet is acknowledged.
    timeout_until: Option<u32>,
    /// The present ACK echoes a mark; echoes are confirmed for packets up to this one.
    echoed: bool,
    confirmed: u32,
}

impl Default for Bbr {
    fn default() -> Self {
        Self {
            mode: Mode::Startup,
            rates: [0.0; BW_ROUNDS],
            btl_bw: 0.0,
            round: 0,
            passed: 0,
            round_ends: 0,
            full_bw: 0.0,
            full_rounds: 0,
            filled: false,
            rtprop: UNKNOWN,
            rtprop_at: Time::ZERO,
            cwnd: 0.0,
            quantum: 1.0,
            aggregation: Aggregation::default(),
            policer: Policer::default(),
            prior: 0.0,
            recovering: false,
            conserving: false,
            entered: false,
            timeout_until: None,
            echoed: false,
            confirmed: 0,
        }
    }
}

/// A pseudo-random number from 0 to 6, derived from the time.
fn draw(now: Time) -> usize {
    (mix(now.as_nanos().wrapping_add(0x9e37_79b9_7f4a_7c15)) % 7) as usize
}

impl WindowControl for Bbr {
    const LOSS_FACTOR: f64 = HALF;
    const SETS_WINDOW: bool = true;

    fn observe(&mut self, s: &SenderState, _now: Time, ack: &Ack<'_>, _newly: u32) -> bool {
        self.echoed = ack.ece && s.ect;
        false
    }

    fn grow(&mut self, s: &mut SenderState, now: Time, _ack: &Ack<'_>, acked: u32) {
        // The first ACK; after it, `control` sets the window.
        if self.cwnd == 0.0 {
            s.grow(now, acked);
        }
    }

    fn control(&mut self, s: &mut SenderState, now: Time, ack: &Ack<'_>, delivery: &Delivery) {
        if self.echoed && !self.recovering && s.una > self.confirmed {
            self.confirmed = s.max;
            s.confirm_echo();
        }
        let Some(sampler) = s.sampler() else { return };
        let sample = sampler.on_ack(now, ack, delivery.newly);
        let delivered = sampler.delivered();
        let round_starts = self.on_sample(sample, delivered);
        let probing = matches!(self.mode, Mode::ProbeBw { .. });
        let limited = sample.is_some_and(|sample| sample.limited);
        let input = PolicerInput { delivered, lost: delivery.lost, round_starts, limited, probing };
        if self.policer.on_ack(now, input, s.params.packet.0 as f64) && probing {
            self.probe_bw(now);
        }
        if delivery.newly > 0 {
            self.aggregation.on_ack(now, f64::from(delivery.newly), self.bandwidth(), s.cwnd, round_starts);
        }
        if !core::mem::take(&mut self.entered) && delivery.lost > 0 {
            self.cwnd = (self.cwnd - f64::from(delivery.lost)).max(1.0);
        }
        self.end_recovery(s, delivery, round_starts);
        let before = self.when_next_leaves(s, now, f64::from(delivery.in_flight + delivery.newly));
        self.advance_phase(now, before, delivery.lost > 0);
        if round_starts && !self.filled && !limited {
            self.look_whether_full();
        }
        if self.mode == Mode::Startup && self.filled {
            self.mode = Mode::Drain;
        }
        if self.mode == Mode::Drain && f64::from(delivery.in_flight) <= self.in_flight_at(1.0) {
            self.probe_bw(now);
        }
        let rtt = sample.and_then(|sample| sample.rtt).unwrap_or(UNKNOWN);
        self.probe_rtt(now, rtt, delivery, (delivered, round_starts));
        if matches!(self.mode, Mode::ProbeRtt { .. })
            && let Some(sampler) = s.sampler()
        {
            sampler.hold_back(delivery.in_flight);
        }
        self.set_rate(s);
        self.set_window(s, delivery, delivered);
        s.set_cwnd(now, self.cwnd);
    }

    fn on_recovery(&mut self, s: &mut SenderState, now: Time, delivery: &Delivery) {
        self.save();
        if core::mem::replace(&mut self.recovering, true) {
            return;
        }
        self.conserving = true;
        self.entered = true;
        // The sampler has not processed this ACK yet.
        self.round_ends = s.sampler().map_or(0, |sampler| sampler.delivered().wrapping_add(delivery.newly));
        self.cwnd = f64::from(delivery.in_flight + delivery.newly.max(1));
        s.set_cwnd(now, self.cwnd);
    }

    fn on_timeout(&mut self, s: &mut SenderState) {
        self.save();
        self.recovering = false;
        self.conserving = false;
        self.timeout_until = Some(s.max);
        self.cwnd = 1.0;
    }

    fn gauges(&self, show: &mut dyn FnMut(&'static str, f64)) {
        show("btl_bw", self.btl_bw);
        if self.rtprop != UNKNOWN {
            show("rtprop", self.rtprop.as_secs());
        }
    }
}

impl Bbr {
    /// The bandwidth that pacing uses: the measured one, or the rate of a detected policer.
    fn bandwidth(&self) -> f64 {
        self.policer.rate().unwrap_or(self.btl_bw)
    }

    /// Packets in flight that fill the path `gain` times, plus the send quanta; rounded up to an even number, and two
    /// more while probing for bandwidth.
    fn in_flight_at(&self, gain: f64) -> f64 {
        self.with_hosts(gain * self.btl_bw * self.rtprop.as_secs())
    }

    fn with_hosts(&self, packets: f64) -> f64 {
        let packets = packets + QUANTA * self.quantum;
        let probes = matches!(self.mode, Mode::ProbeBw { phase: 0, .. });
        -2.0 * floor(packets / -2.0) + if probes { 2.0 } else { 0.0 }
    }

    /// How many of the `in_flight` packets are still in the network when the next packet leaves; while probing for
    /// bandwidth, the next packet counts too.
    fn when_next_leaves(&self, s: &SenderState, now: Time, in_flight: f64) -> f64 {
        let wait = s.pacer.as_ref().map_or(Span::ZERO, |pacer| pacer.wait(now));
        let joins = if self.gains().0 > 1.0 { self.quantum } else { 0.0 };
        (in_flight + joins - floor(self.btl_bw * wait.as_secs())).max(0.0)
    }

    fn gains(&self) -> (f64, f64) {
        match self.mode {
            Mode::Startup => (HIGH_GAIN, HIGH_GAIN),
            Mode::Drain => (1.0 / HIGH_GAIN, HIGH_GAIN),
            Mode::ProbeBw { phase, .. } => (if self.policer.rate().is_some() { 1.0 } else { CYCLE[phase] }, CWND_GAIN),
            Mode::ProbeRtt { .. } => (1.0, 1.0),
        }
    }

    /// Record a sample of the delivery rate; returns whether a round starts.
    fn on_sample(&mut self, sample: Option<RateSample>, delivered: u32) -> bool {
        let Some(RateSample { rate, prior, limited, .. }) = sample.filter(|sample| sample.reliable) else {
            return false;
        };
        let starts = prior.wrapping_sub(self.round_ends).cast_signed() >= 0;
        if starts {
            self.round_ends = delivered;
            self.passed = BW_ROUNDS.min(self.passed + 1);
        }
        if limited && rate < self.btl_bw {
            return starts;
        }
        let passed = core::mem::take(&mut self.passed);
        for _ in 0..passed {
            self.round = (self.round + 1) % BW_ROUNDS;
            self.rates[self.round] = 0.0;
        }
        if passed > 0 {
            self.btl_bw = self.rates.iter().fold(0.0, |most, rate| rate.max(most));
        }
        self.rates[self.round] = rate.max(self.rates[self.round]);
        self.btl_bw = rate.max(self.btl_bw);
        starts
    }

    fn save(&mut self) {
        let small = self.recovering || matches!(self.mode, Mode::ProbeRtt { .. }) || self.timeout_until.is_some();
        self.prior = if small { self.prior.max(self.cwnd) } else { self.cwnd };
    }

    fn end_recovery(&mut self, s: &SenderState, delivery: &Delivery, round_starts: bool) {
        self.conserving &= !round_starts;
        let timeout_ends = self.timeout_until.is_some_and(|until| s.una >= until);
        if timeout_ends {
            self.timeout_until = None;
        }
        if timeout_ends || (self.recovering && !delivery.recovering) {
            self.recovering = false;
            self.conserving = false;
            self.cwnd = self.cwnd.max(self.prior);
        }
    }

    /// Start the next phase if it is due; `before`: packets in flight before this ACK.
    fn advance_phase(&mut self, now: Time, before: f64, losing: bool) {
        let Mode::ProbeBw { phase, since } = self.mode else { return };
        let whole = now.since(since) > self.rtprop;
        let next = match phase {
            0 => whole && (losing || before >= self.in_flight_at(CYCLE[0])),
            1 => whole || before <= self.in_flight_at(1.0),
            _ => whole,
        };
        if next {
            self.mode = Mode::ProbeBw { phase: (phase + 1) % CYCLE.len(), since: now };
        }
    }

    fn probe_bw(&mut self, now: Time) {
        let draw = draw(now);
        self.mode = Mode::ProbeBw { phase: if draw == 0 { 0 } else { draw + 1 }, since: now };
    }

    fn look_whether_full(&mut self) {
        let bw = self.btl_bw;
        if bw >= self.full_bw * FULL_GROWTH {
            self.full_bw = bw;
            self.full_rounds = 0;
        } else {
            self.full_rounds += 1;
            self.filled |= self.full_rounds >= FULL_ROUNDS;
        }
    }

    fn probe_rtt(&mut self, now: Time, rtt: Span, delivery: &Delivery, (delivered, round_starts): (u32, bool)) {
        let expired = self.rtprop != UNKNOWN && now.since(self.rtprop_at) > RTPROP_FILTER;
        if rtt < self.rtprop || (expired && rtt != UNKNOWN) {
            self.rtprop = rtt;
            self.rtprop_at = now;
        }
        if expired && !matches!(self.mode, Mode::ProbeRtt { .. }) {
            self.save();
            self.mode = Mode::ProbeRtt { until: None, round_passed: false };
        }
        let Mode::ProbeRtt { until, round_passed } = &mut self.mode else { return };
        match *until {
            None if f64::from(delivery.in_flight) <= MIN_CWND => {
                *until = Some(now + PROBE_RTT_TIME);
                self.round_ends = delivered;
            }
            Some(until) => {
                *round_passed |= round_starts;
                if *round_passed && now > until {
                    self.rtprop_at = now;
                    self.cwnd = self.cwnd.max(self.prior);
                    self.mode = Mode::Startup;
                    if self.filled {
                        self.probe_bw(now);
                    }
                }
            }
            None => {}
        }
    }

    fn set_rate(&mut self, s: &mut SenderState) {
        let (packet, used) = (s.params.packet.0 as f64, 1.0 - s.params.margin);
        let Some(pacer) = &mut s.pacer else { return };
        let (gain, _) = self.gains();
        let rate = gain * self.bandwidth() * used;
        // Without a measured rate, the initial window divided by the first round-trip time.
        let known = pacer.rate().unwrap_or(HIGH_GAIN * s.cwnd / self.rtprop.as_secs() * used);
        let rate = if self.filled || rate > known { rate } else { known };
        pacer.set_rate(rate);
        let bit_ps = 8.0 * packet * rate;
        self.quantum = match bit_ps {
            _ if bit_ps < LONE_RATE => 1.0,
            _ if bit_ps < PAIR_RATE => 2.0,
            _ => floor((bit_ps / 8.0 * 1e-3).min(MAX_BYTES) / packet).max(2.0),
        };
    }

    fn set_window(&mut self, s: &SenderState, delivery: &Delivery, delivered: u32) {
        if self.cwnd == 0.0 {
            // The first ACK has set the initial window.
            self.cwnd = s.cwnd;
            return;
        }
        let allowance = if self.filled { self.aggregation.allowance(self.bandwidth()) } else { 0.0 };
        let newly = f64::from(delivery.newly);
        let filling = self.gains().1 * self.bandwidth() * self.rtprop.as_secs();
        let target = self.with_hosts(-floor(-filling) + floor(allowance));
        if self.conserving {
            self.cwnd = self.cwnd.max(f64::from(delivery.in_flight) + newly);
        } else if self.filled {
            self.cwnd = (self.cwnd + newly).min(target);
        } else if self.cwnd < target || f64::from(delivered) < s.params.initial_window {
            self.cwnd += newly;
        }
        let least = if self.timeout_until.is_some() { 1.0 } else { MIN_CWND };
        self.cwnd = self.cwnd.max(least);
        if matches!(self.mode, Mode::ProbeRtt { .. }) {
            self.cwnd = self.cwnd.min(MIN_CWND);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packets_and_acks::SackBlock;
    use crate::params::{Flavour, Profile, TcpParams};

    fn machine() -> SenderState {
        SenderState::new(TcpParams { flavour: Flavour::Bbr, pacing: true, ..TcpParams::of(Profile::Linux) }.into())
    }

    /// A sample of a packet that was sent when `prior` packets had been delivered.
    fn sample(rate: f64, prior: u32) -> RateSample {
        let rtt = Some(Span::from_millis(20));
        RateSample { rate, prior, limited: false, reliable: true, rtt, in_flight: 0, lost: 0 }
    }

    fn loss(newly: u32, in_flight: u32) -> Delivery {
        Delivery { newly, in_flight, lost: 1, recovering: true }
    }

    #[test]
    fn a_rate_counts_in_its_round_and_in_ten_more() {
        let mut bbr = Bbr::default();
        assert!(bbr.on_sample(Some(sample(200.0, 0)), 10));
        let lasts = (1..20).take_while(|round| {
            assert!(bbr.on_sample(Some(sample(100.0, 10 * round)), 10 * (round + 1)));
            bbr.btl_bw == 200.0
        });
        assert_eq!(lasts.count(), 10);
    }

    /// draft-cardwell-ccwg-bbr-00, section 4.5.7.1.
    #[test]
    fn the_ack_of_a_retransmitted_packet_leaves_rtprop_as_it_is() {
        let at = |millis: u64| Time::from_nanos(millis * 1_000_000);
        let (mut bbr, mut s) = (Bbr::default(), machine());
        let mut deliver = |now, sent: &[(u64, u32)], ack, sack: &[SackBlock], newly| {
            let sampler = s.sampler().expect("BBR samples rates");
            for &(millis, seq) in sent {
                sampler.on_send(at(millis), seq, millis == 0);
            }
            let ack = Ack { ack, stamp: Time::ZERO, ece: false, ace: 0, sack, retransmission: false };
            bbr.control(&mut s, at(now), &ack, &Delivery { newly, in_flight: 1, lost: 0, recovering: false });
            bbr.rtprop
        };
        let block = SackBlock { start: 1, end: 3 };
        assert_eq!(deliver(102, &[(0, 0), (1, 1), (2, 2)], 0, &[block], 2), Span::from_millis(100));
        // The original packet 0 is late; its ACK arrives 4 ms after the retransmission was sent.
        assert_eq!(deliver(140, &[(136, 0)], 3, &[], 1), Span::from_millis(100));
    }

    /// draft-cardwell-ccwg-bbr-00, section 4.5.2.3.3.
    #[test]
    fn an_unreliable_rate_is_no_sample() {
        let mut bbr = Bbr::default();
        assert!(bbr.on_sample(Some(sample(200.0, 0)), 10));
        assert!(!bbr.on_sample(Some(RateSample { reliable: false, ..sample(900.0, 10) }), 20));
        assert_eq!((bbr.btl_bw, bbr.round_ends), (200.0, 10));
    }

    #[test]
    fn the_first_round_of_a_recovery_ends_with_a_packet_sent_after_the_loss_was_found() {
        let (mut bbr, mut s) = (Bbr::default(), machine());
        bbr.on_recovery(&mut s, Time::ZERO, &loss(3, 20));
        // This ACK delivers three packets.
        assert!(!bbr.on_sample(Some(sample(100.0, 2)), 30));
        assert!(bbr.on_sample(Some(sample(100.0, 3)), 30));
    }

    #[test]
    fn a_recovery_that_follows_another_at_once_cuts_nothing() {
        let (mut bbr, mut s) = (Bbr { cwnd: 40.0, ..Bbr::default() }, machine());
        bbr.on_recovery(&mut s, Time::ZERO, &loss(1, 20));
        assert_eq!((bbr.cwnd, bbr.conserving), (21.0, true));
        (bbr.cwnd, bbr.conserving, bbr.entered) = (30.0, false, false);
        bbr.on_recovery(&mut s, Time::ZERO, &loss(1, 20));
        assert_eq!((bbr.cwnd, bbr.conserving, bbr.prior), (30.0, false, 40.0));
        // The losses reduce the window as in the previous recovery.
        assert!(!bbr.entered);
    }
}
