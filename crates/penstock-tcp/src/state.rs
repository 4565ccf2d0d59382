//! The state of a sender that all congestion controls share: the packets outstanding, the window, the retransmission timer.
//!
//! RFC 5681 (windows), RFC 6298, section 5 (timer), RFC 3042 (limited transmit), RFC 3168, section 6.1.2 (marks).
//!
//! [`application`] tracks the written data, [`acks`] processes ACKs, [`send`] sends packets, [`window`] grows and
//! reduces the window. The congestion controls in `cc` decide when each of these steps is taken; nothing here depends on a flavour.

mod acks;
mod application;
mod send;
mod window;

pub use application::CompletedWrite;

use crate::kernel_ticks;
use crate::pacer::Pacer;
use crate::params::{Flavour, TcpParams};
use crate::rate_sample::RateSampler;
use crate::recovery::RecoveryRules;
use crate::rtt::Rtt;
use crate::sender_counts::SenderCounts;
use alloc::boxed::Box;
use alloc::sync::Arc;
use application::Application;
use penstock_core::time::NANOS_PER_SECOND;
use penstock_core::{Span, Time};

/// Why the window was last reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LastReduction {
    /// The window was never reduced.
    None,
    /// A loss detected by ACKs; the recovery is under way.
    Loss,
    /// A loss detected by ACKs; the recovery has ended.
    Recovered,
    /// A timeout.
    Timeout,
    /// An echoed mark.
    Mark,
}

/// State of the tail-loss probe (RFC 8985, section 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TailProbe {
    None,
    /// The timer will send a probe, not cause a timeout.
    Armed,
    /// The probe was sent, and no new data was ACKed since.
    Sent,
}

/// Factor by which a loss reduces the window (RFC 5681, equation 4).
pub(crate) const HALF: f64 = 0.5;

/// Maximum delay of an ACK that the timer of a probe allows for (RFC 8985, section 7.2; the value of Linux).
const MAX_ACK_DELAY: Span = Span::from_millis(200);

/// Number of ticks by which a probe is sent late.
const LATE_TICKS: u64 = 2;

/// State of a sender, apart from its congestion control.
///
/// Fields are in the order of use: every ACK reads the fields up to the first counts.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct SenderState {
    pub(crate) params: Arc<TcpParams>,
    /// Oldest packet that is not ACKed.
    pub(crate) una: u32,
    /// Next packet to send; it falls back to `una` after a timeout.
    pub(crate) next: u32,
    /// First packet that was never sent.
    pub(crate) max: u32,
    /// Number of packets of the transfer, the SYN included.
    pub(crate) end: u32,
    /// Congestion window, in packets.
    pub(crate) cwnd: f64,
    /// Slow start threshold, in packets.
    pub(crate) ssthresh: f64,
    /// Packets by which duplicate ACKs inflate the window.
    pub(crate) inflation: u32,
    /// A recovery is over when all packets below this one are ACKed.
    pub(crate) recover: u32,
    /// Duplicate ACKs in a row, and the packets they have released by limited transmit.
    pub(crate) dupacks: u32,
    pub(crate) limited: u32,
    pub(crate) last_reduction: LastReduction,
    /// The next packet carries CWR, "congestion window reduced".
    cwr: bool,
    /// The receiver has agreed to ECN.
    pub(crate) ect: bool,
    /// Whether a mark was echoed while the window was one packet.
    ecn_backoff: bool,
    pub(crate) probe: TailProbe,
    /// Whether all packets but the first are full, and none but the last ends a write.
    uniform: bool,
    /// Whether there is a pacer or an application that writes at given times. Most senders have neither; a single test of
    /// this flag suffices for them.
    has_extras: bool,
    /// Whether a packet is being timed, its number and its sending time.
    timing: bool,
    timed_seq: u32,
    /// Number of retransmissions.
    retransmitted: u32,
    /// When the retransmission timer expires; `NEVER`: it is off.
    deadline: Time,
    /// The pacer; `None` without `pacing`.
    pub(crate) pacer: Option<Box<Pacer>>,
    /// The application, if it writes at given times; `end` is then the number of the packet after the last one written.
    application: Option<Box<Application>>,
    rtt: Rtt,
    /// Time up to which `counts.cwnd_integral` is complete.
    integrated: Time,
    counts: Counts,
    timed_at: Time,
    /// Packets ACKed towards the next increment of the window.
    credit: f64,
    finished: Time,
}

/// The counts, with fields no wider than needed, since every flow has them; times are in nanoseconds. No count exceeds
/// the number of packets, which are numbered with 32 bits.
#[derive(Debug, Default)]
#[repr(C)]
struct Counts {
    cwnd_integral: f64,
    rtt_sum: u64,
    srtt_sum: u64,
    rtt_samples: u32,
    timeouts: u32,
    fast_retransmits: u32,
    ecn_responses: u32,
}

impl SenderState {
    pub(crate) fn new(params: Arc<TcpParams>) -> Self {
        let rtt = Rtt::new(&params);
        Self {
            cwnd: if params.syn { 1.0 } else { params.initial_window },
            uniform: params.bytes.is_none() && params.write.0 == 0 && !params.has_writes(),
            has_extras: params.pacing,
            inflation: 0,
            ssthresh: params.first_ssthresh(),
            una: 0,
            next: 0,
            max: 0,
            end: 0,
            recover: params.recovery.first_recover(),
            dupacks: 0,
            limited: 0,
            last_reduction: LastReduction::None,
            cwr: false,
            ect: params.ecn && (params.ecn_control || params.recovery.is_ect_at_start(params.opens())),
            ecn_backoff: false,
            probe: TailProbe::None,
            timing: false,
            timed_seq: 0,
            retransmitted: 0,
            timed_at: Time::ZERO,
            rtt,
            deadline: Time::NEVER,
            pacer: params.pacing.then(|| {
                let samples = matches!(params.flavour, Flavour::Bbr | Flavour::Bbr3);
                Box::new(Pacer::new(samples.then(RateSampler::default)))
            }),
            application: None,
            finished: Time::NEVER,
            counts: Counts::default(),
            credit: 0.0,
            integrated: Time::NEVER,
            params,
        }
    }

    /// Start the transfer that the parameters describe.
    pub(crate) fn start(&mut self, now: Time) {
        self.integrated = now;
        self.begin_transfer(now, self.params.end());
    }

    /// Start a transfer of this many data packets.
    pub(crate) fn start_transfer(&mut self, now: Time, packets: u32) {
        self.integrated = now;
        let total = packets.saturating_add(u32::from(self.params.opens()));
        self.begin_transfer(now, total.min(self.params.end()));
    }

    /// End the transfer with the packets sent so far.
    pub(crate) fn stop(&mut self, now: Time) {
        self.end = self.end.min(self.max);
        self.stop_writing();
        if self.una >= self.end && self.finished == Time::NEVER {
            self.finished = now;
        }
    }

    // ---- reading ------------------------------------------------------------------------------------------------

    /// The rules of loss recovery in force.
    #[inline]
    pub(crate) fn rules(&self) -> RecoveryRules {
        self.params.recovery
    }

    /// Packets sent and not ACKed.
    #[inline]
    pub(crate) fn outstanding(&self) -> u32 {
        self.max - self.una
    }

    /// Number of packets that were never sent, and number of those that fit into the receive window.
    #[inline]
    pub(crate) fn unsent(&self) -> (u32, u32) {
        let all = self.end - self.max;
        (all, all.min(self.una.saturating_add(self.params.window).saturating_sub(self.max)))
    }

    /// Retransmissions so far.
    pub(crate) fn retransmitted(&self) -> u64 {
        u64::from(self.retransmitted)
    }

    /// When all data was ACKed.
    pub(crate) fn finished(&self) -> Option<Time> {
        (self.finished != Time::NEVER).then_some(self.finished)
    }

    /// Smoothed round-trip time.
    pub(crate) fn srtt(&self) -> Option<Span> {
        self.rtt.srtt(&self.params)
    }

    /// Counts up to `now`.
    pub(crate) fn counts(&self, now: Time) -> SenderCounts {
        let seconds = |nanos: f64| nanos / NANOS_PER_SECOND as f64;
        let since = self.cwnd * now.since(self.integrated).as_nanos() as f64;
        SenderCounts {
            cwnd_integral: seconds(self.counts.cwnd_integral + since),
            sent: u64::from(self.max) + self.retransmitted(),
            retransmitted: self.retransmitted(),
            timeouts: u64::from(self.counts.timeouts),
            fast_retransmits: u64::from(self.counts.fast_retransmits),
            ecn_responses: u64::from(self.counts.ecn_responses),
            rtt_sum_s: seconds(self.counts.rtt_sum as f64),
            rtt_samples: u64::from(self.counts.rtt_samples),
            srtt_sum_s: seconds(self.counts.srtt_sum as f64),
        }
    }

    /// The sampler of the delivery rate, for a congestion control that uses one.
    pub(crate) fn sampler(&mut self) -> Option<&mut RateSampler> {
        self.pacer.as_mut()?.sampler.as_mut()
    }

    // ---- the timer ----------------------------------------------------------------------------------------------

    /// When the sender must be called next: the retransmission timer expires, a paced packet may be sent, or the application
    /// writes.
    #[inline]
    pub(crate) fn timer(&self) -> Time {
        if !self.has_extras {
            return self.deadline;
        }
        let timer = self.pacer.as_ref().map_or(self.deadline, |pacer| pacer.waiting.min(self.deadline));
        timer.min(self.next_write())
    }

    /// Whether the retransmission timer has expired.
    pub(crate) fn is_overdue(&self, now: Time) -> bool {
        self.deadline <= now
    }

    #[inline]
    pub(crate) fn restart_timer(&mut self, now: Time) {
        self.deadline = kernel_ticks::expiry(now, self.rtt.timeout(), self.params.timer_tick);
    }

    /// Arm the timer for a tail-loss probe after two round trips, plus the delay of an ACK if only one packet is
    /// outstanding, whose ACK may be delayed; at the time of the timeout if that is earlier (RFC 8985, section 7.2).
    #[inline(never)]
    pub(crate) fn arm_probe(&mut self, now: Time) {
        let Some(srtt) = self.srtt() else { return };
        let slack = if self.outstanding() == 1 { MAX_ACK_DELAY } else { self.params.timer_tick * LATE_TICKS };
        self.deadline = self.deadline.min(kernel_ticks::expiry(now, srtt * 2 + slack, self.params.timer_tick));
        self.probe = TailProbe::Armed;
    }

    /// Let the timer expire at `at`, when an overdue packet counts as lost. It replaces the retransmission timer, even one
    /// that would expire earlier (RFC 8985, section 8: these timers are mutually exclusive).
    pub(crate) fn arm_reordering(&mut self, now: Time, at: Time) {
        self.deadline = kernel_ticks::expiry(now, at.since(now), self.params.timer_tick);
        self.probe = TailProbe::Armed;
    }

    /// Stop timing: the packet that is timed may be lost (Karn's algorithm).
    pub(crate) fn stop_timing(&mut self) {
        self.timing = false;
    }

    /// Double the retransmission timeout.
    pub(crate) fn back_off(&mut self) {
        self.rtt.back_off(&self.params);
    }

    /// The first step of every congestion control on a timeout: count it and back off. Returns false if nothing was outstanding.
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

    /// Go back to `una` after a timeout: all packets outstanding count as lost, and no packet is timed.
    pub(crate) fn go_back(&mut self, now: Time) {
        self.next = self.una;
        self.limited = 0;
        self.timing = false;
        self.restart_timer(now);
    }

    /// Begin a fast retransmit: restart the timer, and stop timing, as the timed packet may be lost (Karn's algorithm).
    pub(crate) fn enter_fast_retransmit(&mut self, now: Time) {
        self.last_reduction = LastReduction::Loss;
        self.counts.fast_retransmits += 1;
        self.timing = false;
        self.restart_timer(now);
    }
}
