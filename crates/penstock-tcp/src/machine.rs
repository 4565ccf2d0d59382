//! The sending machinery that all congestion laws share: what is outstanding, the window, the timer, the clock of round trips.
//!
//! RFC 5681 (windows), RFC 6298, section 5 (timer), RFC 3042 (limited transmit), RFC 3168, section 6.1.2 (marks).
//!
//! How the window grows and what it loses is in [`window`]. The laws in `cc` decide when each of these steps is taken; nothing
//! here knows a flavour.

mod window;

use crate::counts::SenderCounts;
use crate::pacer::Pacer;
use crate::params::{Flavour, TcpParams};
use crate::rate_sample::RateSampler;
use crate::recovery::Recovery;
use crate::rtt::Rtt;
use crate::wire::{Ack, Network, Segment};
use alloc::boxed::Box;
use alloc::sync::Arc;
use penstock_core::time::NANOS_PER_SECOND;
use penstock_core::{Ecn, Span, Time};

/// Why the window was last cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Not yet.
    None,
    /// Duplicate acknowledgements; the recovery lasts.
    Loss,
    /// Such a recovery has ended.
    Recovered,
    /// A timeout.
    Timeout,
    /// An echoed mark.
    Mark,
}

/// A probe of the tail of what is outstanding (RFC 8985, section 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Probe {
    None,
    /// The timer ends in a probe, not in a timeout.
    Armed,
    /// Sent, and nothing new acknowledged since.
    Sent,
}

/// What a loss leaves of the window (RFC 5681, equation 4).
pub(crate) const HALF: f64 = 0.5;

/// How late an acknowledgement may be because it is delayed (RFC 8985, section 7.2: as in Linux).
const MOST_ACK_DELAY: Span = Span::from_millis(200);

/// When a timer ends that was set to `wait`: after so many ticks of its clock, the next one not counted.
#[inline]
pub(crate) fn on_tick(now: Time, wait: Span, tick: Span) -> Time {
    let tick = tick.as_nanos();
    if tick == 0 {
        return now + wait;
    }
    Time::from_nanos((now.as_nanos() / tick + wait.as_nanos().div_ceil(tick) + 1) * tick)
}

/// Ticks by which a probe comes later than its time.
const LATE_TICKS: u64 = 2;

/// State of a sender, apart from its congestion law.
///
/// In the order of use: what every acknowledgement looks at stands in the first three cache lines.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Machine {
    pub(crate) params: Arc<TcpParams>,
    /// Oldest packet that is not acknowledged.
    pub(crate) una: u32,
    /// Next packet to send; it falls back to `una` after a timeout.
    pub(crate) next: u32,
    /// First packet that was never sent.
    pub(crate) max: u32,
    /// First packet that there is not.
    pub(crate) end: u32,
    /// Congestion window, in packets.
    pub(crate) cwnd: f64,
    /// Slow start threshold, in packets.
    pub(crate) ssthresh: f64,
    /// Packets by which duplicate acknowledgements inflate the window.
    pub(crate) inflation: u32,
    /// A recovery is over when everything below has been acknowledged.
    pub(crate) recover: u32,
    /// Duplicate acknowledgements in a row, and the packets they have released by limited transmit.
    pub(crate) dupacks: u32,
    pub(crate) limited: u32,
    pub(crate) cut: Cut,
    /// The next packet says "congestion window reduced".
    cwr: bool,
    /// The receiver has agreed to ECN.
    pub(crate) ect: bool,
    /// An echoed mark met a window of one packet.
    ecn_backoff: bool,
    pub(crate) probe: Probe,
    /// A packet is being timed: number and sending time.
    timing: bool,
    timed_seq: u32,
    timed_at: Time,
    /// When the retransmission timer ends; `NEVER`: it is off.
    deadline: Time,
    /// With `pacing`.
    pub(crate) pacer: Option<Box<Pacer>>,
    rtt: Rtt,
    /// Packets acknowledged towards the next one of the window.
    credit: f64,
    /// Up to when `counts.cwnd_integral` counts.
    integrated: Time,
    rtt_sum: u64,
    srtt_sum: u64,
    finished: Time,
    /// Without the sums of times, which are kept in nanoseconds; so is `cwnd_integral`.
    counts: SenderCounts,
}

impl Machine {
    pub(crate) fn new(params: Arc<TcpParams>) -> Self {
        let rtt = Rtt::new(&params);
        Self {
            cwnd: if params.syn { 1.0 } else { params.initial_window },
            inflation: 0,
            ssthresh: params.first_ssthresh(),
            una: 0,
            next: 0,
            max: 0,
            end: 0,
            // In ns-2 the opening packet cannot be answered for.
            recover: u32::from(params.recovery == Recovery::Ns2),
            dupacks: 0,
            limited: 0,
            cut: Cut::None,
            cwr: false,
            // An opening packet is not ECN-capable, and asks whether the others may be (RFC 3168, section 6.1.1).
            ect: params.ecn && params.recovery == Recovery::Rfc && !params.opens(),
            ecn_backoff: false,
            probe: Probe::None,
            timing: false,
            timed_seq: 0,
            timed_at: Time::ZERO,
            rtt,
            deadline: Time::NEVER,
            pacer: params.pacing.then(|| {
                let samples = params.flavour == Flavour::Bbr;
                Box::new(Pacer::new(samples.then(RateSampler::default)))
            }),
            finished: Time::NEVER,
            counts: SenderCounts::default(),
            rtt_sum: 0,
            srtt_sum: 0,
            credit: 0.0,
            integrated: Time::NEVER,
            params,
        }
    }

    // ---- reading ------------------------------------------------------------------------------------------------

    /// Packets that may be outstanding.
    #[inline]
    pub(crate) fn window(&self) -> u32 {
        // A window below 2^32 turns into an integer exactly.
        (self.cwnd as u32).saturating_add(self.inflation).min(self.params.window)
    }

    /// The window in use as a real number.
    fn real_window(&self) -> f64 {
        (self.cwnd + f64::from(self.inflation)).min(f64::from(self.params.window))
    }

    /// Packets sent and not acknowledged.
    #[inline]
    pub(crate) fn outstanding(&self) -> u32 {
        self.max - self.una
    }

    #[inline]
    pub(crate) fn rfc(&self) -> bool {
        self.params.recovery == Recovery::Rfc
    }

    /// When the retransmission timer ends, or a packet that waits for its pacing time may go.
    #[inline]
    pub(crate) fn timer(&self) -> Time {
        self.pacer.as_ref().map_or(self.deadline, |pacer| pacer.waiting.min(self.deadline))
    }

    /// Whether the retransmission timer has ended.
    pub(crate) fn is_overdue(&self, now: Time) -> bool {
        self.deadline <= now
    }

    /// Retransmissions up to now.
    pub(crate) fn retransmitted(&self) -> u64 {
        self.counts.retransmitted
    }

    pub(crate) fn finished(&self) -> Option<Time> {
        (self.finished != Time::NEVER).then_some(self.finished)
    }

    pub(crate) fn srtt(&self) -> Option<Span> {
        self.rtt.srtt(&self.params)
    }

    pub(crate) fn counts(&self, now: Time) -> SenderCounts {
        let seconds = |nanos: f64| nanos / NANOS_PER_SECOND as f64;
        let since = self.cwnd * now.since(self.integrated).as_nanos() as f64;
        SenderCounts {
            rtt_sum_s: seconds(self.rtt_sum as f64),
            srtt_sum_s: seconds(self.srtt_sum as f64),
            cwnd_integral: seconds(self.counts.cwnd_integral + since),
            ..self.counts
        }
    }

    // ---- the timer ----------------------------------------------------------------------------------------------

    #[inline]
    pub(crate) fn restart_timer(&mut self, now: Time) {
        self.deadline = on_tick(now, self.rtt.timeout(&self.params), self.params.timer_tick);
    }

    /// Let the timer end in a probe after two round trips, and later by the delay of an acknowledgement if that may be what is
    /// missing (RFC 8985, section 7.2).
    #[inline(never)]
    pub(crate) fn arm_probe(&mut self, now: Time) {
        let Some(srtt) = self.srtt() else { return };
        let slack = if self.outstanding() == 1 { MOST_ACK_DELAY } else { self.params.timer_tick * LATE_TICKS };
        self.arm_in(now, srtt * 2 + slack);
    }

    /// Let the timer end after `wait` already, for something else than a timeout.
    fn arm_in(&mut self, now: Time, wait: Span) {
        self.deadline = self.deadline.min(on_tick(now, wait, self.params.timer_tick));
        self.probe = Probe::Armed;
    }

    /// Let the timer end when a packet is late.
    pub(crate) fn arm_late(&mut self, now: Time, at: Time) {
        self.arm_in(now, at.since(now));
    }

    /// The packet that is timed may be among the lost (Karn).
    pub(crate) fn stop_timing(&mut self) {
        self.timing = false;
    }

    /// An echoed mark was answered.
    pub(crate) fn count_echo(&mut self) {
        self.counts.ecn_responses += 1;
    }

    /// The timer has ended: nothing is timed any more, and everything outstanding counts as lost.
    pub(crate) fn go_back(&mut self, now: Time) {
        self.next = self.una;
        self.limited = 0;
        self.timing = false;
        self.restart_timer(now);
    }

    /// A fast retransmit: restart the timer; a packet being timed may be among the lost (Karn).
    pub(crate) fn fast_retransmit(&mut self, now: Time) {
        self.cut = Cut::Loss;
        self.counts.fast_retransmits += 1;
        self.timing = false;
        self.restart_timer(now);
    }

    /// Back off: the next timeout comes after twice the time.
    pub(crate) fn back_off(&mut self) {
        self.rtt.back_off(&self.params);
    }

    /// What every law does first on a timeout. Returns false if nothing was outstanding.
    pub(crate) fn time_out(&mut self) -> bool {
        self.deadline = Time::NEVER;
        self.recover = self.max;
        if self.una == self.max {
            return false;
        }
        self.counts.timeouts += 1;
        self.rtt.back_off(&self.params);
        true
    }

    // ---- acknowledgements ---------------------------------------------------------------------------------------

    /// New data is acknowledged: move on, measure, restart the timer.
    #[inline]
    pub(crate) fn acknowledge(&mut self, now: Time, ack: &Ack<'_>) {
        self.dupacks = 0;
        self.limited = 0;
        self.advance(ack.ack);
        if self.params.timestamps {
            self.measure(now, ack.stamp, ack.retransmission, true);
            if self.rfc() {
                self.end_back_off(ack);
            }
        }
        if self.timing && ack.ack > self.timed_seq {
            self.timing = false;
            self.end_back_off(ack);
            if !self.params.timestamps {
                self.measure(now, self.timed_at, false, false);
            }
        }
        if self.rfc() && self.una == self.max {
            // RFC 6298, rule 5.2.
            self.deadline = Time::NEVER;
        } else {
            self.restart_timer(now);
        }
        if self.una >= self.end && self.finished == Time::NEVER {
            self.finished = now;
        }
    }

    /// A partial acknowledgement in a recovery by scoreboard: as any other, but the duplicates go on counting.
    pub(crate) fn acknowledge_in_recovery(&mut self, now: Time, ack: &Ack<'_>) {
        let dupacks = self.dupacks;
        self.acknowledge(now, ack);
        self.dupacks = dupacks;
    }

    /// Part of what was outstanding when a recovery began is acknowledged: move on, measure nothing.
    pub(crate) fn acknowledge_part(&mut self, ack: u32) {
        self.advance(ack);
        if self.timing && ack > self.timed_seq {
            self.timing = false;
            self.rtt.end_back_off();
        }
    }

    #[inline]
    pub(crate) fn advance(&mut self, ack: u32) {
        self.una = ack;
        self.next = self.next.max(ack);
    }

    fn end_back_off(&mut self, ack: &Ack<'_>) {
        // The back-off goes on while marks are echoed to a window of one packet (RFC 3168, section 6.1.2).
        if !(self.ect && self.ecn_backoff && ack.ece) {
            self.rtt.end_back_off();
            self.ecn_backoff = false;
        }
    }

    #[inline]
    fn measure(&mut self, now: Time, sent: Time, retransmission: bool, stamped: bool) {
        self.rtt.measure(&self.params, sent, now, stamped);
        if !retransmission {
            self.counts.rtt_samples += 1;
            self.rtt_sum += now.since(sent).as_nanos();
            self.srtt_sum += self.rtt.srtt(&self.params).unwrap_or(Span::ZERO).as_nanos();
        }
    }

    // ---- sending ------------------------------------------------------------------------------------------------

    /// Whether pacing lets a packet go now; if not, the timer tells when it does.
    #[inline]
    pub(crate) fn may_send(&mut self, now: Time) -> bool {
        self.pacer.as_mut().is_none_or(|pacer| pacer.allows(now))
    }

    /// What measures the rate of delivery, for a law that wants it.
    pub(crate) fn sampler(&mut self) -> Option<&mut RateSampler> {
        self.pacer.as_mut()?.sampler.as_mut()
    }

    /// Whether a packet has waited for this instant.
    pub(crate) fn ends_waiting(&mut self, now: Time) -> bool {
        let Some(pacer) = self.pacer.as_mut().filter(|pacer| pacer.waiting <= now) else { return false };
        pacer.waiting = Time::NEVER;
        true
    }

    /// Send packet `seq`.
    #[inline]
    pub(crate) fn transmit(&mut self, now: Time, seq: u32, net: &mut impl Network) {
        let payload = self.params.payload(seq);
        let opening = seq == 0 && self.params.opens();
        let retransmission = seq < self.max;
        // RFC 3168, section 6.1.5: retransmissions are not ECN-capable; in ns-2 they are.
        let capable = self.ect && !(retransmission && self.rfc());
        let cwr = self.cwr && self.ect && !(retransmission && self.rfc()) && !self.params.is_accurate();
        self.cwr &= !cwr;
        net.transmit(Segment {
            seq,
            size: if opening { self.params.ack_size.0 as u32 } else { payload + self.params.headers.0 as u32 },
            payload,
            stamp: now,
            retransmission,
            ecn: if capable { self.params.codepoint() } else { Ecn::Not },
            cwr,
            push: seq + 1 == self.end || self.params.is_pushed(seq),
        });
        self.counts.sent += 1;
        let idle = self.una == self.max;
        let srtt = self.pacer.as_ref().and_then(|_| self.srtt());
        if let Some(pacer) = &mut self.pacer {
            pacer.on_send(now, self.cwnd, self.ssthresh, srtt);
            if let Some(sampler) = &mut pacer.sampler {
                sampler.on_send(now, seq, idle);
            }
        }
        if retransmission {
            self.counts.retransmitted += 1;
        } else {
            self.max = seq + 1;
            if !self.timing {
                self.timing = true;
                self.timed_seq = seq;
                self.timed_at = now;
            }
        }
        if idle || self.deadline == Time::NEVER {
            self.restart_timer(now);
        }
    }

    /// Send what the window allows.
    #[inline]
    pub(crate) fn fill_window(&mut self, now: Time, net: &mut impl Network) {
        self.fill_window_by(u32::MAX, now, net);
    }

    /// Send what the window allows, but at most `burst` packets.
    #[inline]
    pub(crate) fn fill_window_by(&mut self, burst: u32, now: Time, net: &mut impl Network) {
        let end = self.una.saturating_add(self.window()).min(self.end).min(self.next.saturating_add(burst));
        while self.next < end && self.may_send(now) {
            let seq = self.next;
            self.next += 1;
            self.transmit(now, seq, net);
        }
    }

    /// One new packet for one of the first duplicate acknowledgements (RFC 3042).
    pub(crate) fn limited_transmit(&mut self, now: Time, net: &mut impl Network) {
        let allowed = f64::from(self.una) + self.cwnd + f64::from(self.dupacks);
        let window = self.una.saturating_add(self.params.window);
        let new = self.next == self.max || !self.rfc();
        if new
            && self.params.limited_transmit
            && self.next < self.end.min(window)
            && f64::from(self.next) + 1.0 <= allowed
            && self.may_send(now)
        {
            let seq = self.next;
            self.next += 1;
            self.limited += 1;
            self.transmit(now, seq, net);
        }
    }

    /// Start or stop the flow of new data.
    pub(crate) fn start(&mut self, now: Time) {
        self.end = self.params.end();
        self.integrated = now;
    }

    /// Start the flow of so many packets, the opening one not counted.
    pub(crate) fn start_transfer(&mut self, now: Time, packets: u32) {
        self.end = packets.saturating_add(u32::from(self.params.opens()));
        self.integrated = now;
    }

    pub(crate) fn stop(&mut self, now: Time) {
        self.end = self.end.min(self.max);
        if self.una >= self.end && self.finished == Time::NEVER {
            self.finished = now;
        }
    }
}
