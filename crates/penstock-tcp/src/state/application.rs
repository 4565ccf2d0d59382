//! An application that writes at given times, so that the sender may have nothing to send.
//!
//! # Rules
//! A packet may be sent once it is written. A window that is not used is no evidence about the network, so it does not grow: in
//! slow start it grows if at least half of it was in flight within the last window of data (the criterion of RFC 7661 for a
//! validated window), in congestion avoidance only if all of it was (RFC 9438, section 5.8), or if data waited. A connection that
//! has sent nothing for a retransmission timeout halves its window once per timeout, down to the restart window min(IW, cwnd), and
//! keeps `ssthresh` at three quarters of it or more (RFC 2861, now historic).
//!
//! # Differences
//! * RFC 7661 measures the packets in flight as `pipeACK`, a maximum over several round trips; here it is the maximum
//!   over one window of data.
//! * RFC 5681, section 4.1, goes to the restart window after one timeout.
//! * An application that always has data is never limited, not even by the window of its receiver.

use super::SenderState;
use alloc::boxed::Box;
use alloc::vec::Vec;
use penstock_core::math::floor;
use penstock_core::{Span, Time};

/// A write that was acknowledged: when, and how long after it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompletedWrite {
    /// Time of the acknowledgement.
    pub at: Time,
    /// Time since the write.
    pub after: Span,
}

/// An application, and how its sender uses the window.
#[derive(Debug)]
pub(super) struct Application {
    started: Time,
    /// Time of the next write; `NEVER` after the last one.
    next: Time,
    /// Number of writes so far, and number of completely acknowledged writes.
    written: u32,
    completed: u32,
    /// Packets of the transfer, the SYN included, and packets of the acknowledged writes.
    total: u32,
    completed_packets: u32,
    completions: Vec<CompletedWrite>,
    /// Within the current window of data, which ends at packet `window_ends`: the largest number of packets in flight,
    /// and whether the window was full or data waited.
    used: u32,
    is_limited_by_window: bool,
    window_ends: u32,
    /// Packets sent for the first time, and the time of the last of them.
    sent: u32,
    sent_at: Time,
    /// The last time at which packets were sent or acknowledged.
    active_at: Time,
}

impl SenderState {
    /// Begin a transfer of `total` packets, the SYN included.
    pub(super) fn begin_transfer(&mut self, now: Time, total: u32) {
        self.end = total;
        if !self.params.has_writes() {
            return;
        }
        let opening = u32::from(self.params.opens());
        self.end = opening;
        self.has_extras = true;
        self.application = Some(Box::new(Application {
            started: now,
            next: now + self.params.time_of_write(0).unwrap_or_default(),
            written: 0,
            completed: 0,
            total,
            completed_packets: opening,
            completions: Vec::new(),
            used: 0,
            is_limited_by_window: false,
            window_ends: 0,
            sent: 0,
            sent_at: now,
            active_at: now,
        }));
        self.take_writes(now);
    }

    /// Whether an application writes at given times.
    #[inline]
    pub(crate) fn has_application(&self) -> bool {
        self.has_extras && self.application.is_some()
    }

    /// When the application writes next.
    #[inline]
    pub(super) fn next_write(&self) -> Time {
        self.application.as_ref().map_or(Time::NEVER, |application| application.next)
    }

    /// Make the data that is written by `now` available for sending; returns whether there is new data.
    pub(crate) fn take_writes(&mut self, now: Time) -> bool {
        let Some(application) = self.application.as_deref_mut() else { return false };
        let before = self.end;
        while application.next <= now {
            let packets = self.params.packets_of_write(application.written);
            application.written += 1;
            self.end = self.end.saturating_add(packets).min(application.total);
            let following = self.params.time_of_write(application.written).filter(|_| self.end < application.total);
            application.next = following.map_or(Time::NEVER, |after| application.started + after);
        }
        self.end > before
    }

    /// The application writes no more data.
    pub(super) fn stop_writing(&mut self) {
        if let Some(application) = self.application.as_deref_mut() {
            (application.next, application.total) = (Time::NEVER, self.end);
        }
    }

    /// Whether the application will write more.
    pub(super) fn writes_more(&self) -> bool {
        self.application.as_ref().is_some_and(|application| self.end < application.total)
    }

    /// Whether the window was used, and so may grow.
    #[inline]
    pub(crate) fn uses_window(&self) -> bool {
        let Some(application) = self.application.as_deref().filter(|_| self.has_extras) else { return true };
        let is_slow = self.cwnd < self.ssthresh && self.cwnd < 2.0 * f64::from(application.used);
        is_slow || application.is_limited_by_window
    }

    /// The time for which the window was unused before an ACK at `now` that does not grow it.
    pub(crate) fn unused_time(&self, now: Time) -> Span {
        self.application.as_ref().map_or(Span::ZERO, |application| now.since(application.active_at))
    }

    /// Packets may have been sent or acknowledged: record the use of the window, and the completed writes.
    pub(crate) fn note_use(&mut self, now: Time) {
        if !self.has_application() {
            return;
        }
        let (flight, window, waits) = (self.outstanding(), self.window(), self.max < self.end);
        let starves = !waits && self.next == self.max && flight < window && self.writes_more();
        if starves && let Some(sampler) = self.sampler() {
            sampler.hold_back(flight);
        }
        let Some(application) = self.application.as_deref_mut() else { return };
        let is_limited = waits || flight >= window;
        if self.una >= application.window_ends
            || flight > application.used
            || is_limited && !application.is_limited_by_window
        {
            application.used = flight;
            application.is_limited_by_window = is_limited;
            application.window_ends = self.max;
        }
        if self.max > application.sent {
            (application.sent, application.sent_at) = (self.max, now);
        }
        application.active_at = now;
        while application.completed < application.written {
            let packets = self.params.packets_of_write(application.completed);
            let end = application.completed_packets.saturating_add(packets).min(application.total);
            if self.una < end {
                break;
            }
            let written = self.params.time_of_write(application.completed).unwrap_or_default();
            let after = now.since(application.started + written);
            application.completions.push(CompletedWrite { at: now, after });
            application.completed += 1;
            application.completed_packets = end;
        }
    }

    /// Data was written while nothing was outstanding: reduce the window for each timeout without sending (RFC 2861). Returns
    /// the idle time.
    pub(crate) fn end_idle(&mut self, now: Time, reduces: bool) -> Span {
        let Some(application) = self.application.as_deref() else { return Span::ZERO };
        if self.outstanding() > 0 {
            return Span::ZERO;
        }
        let timeouts = now.since(application.sent_at).as_nanos() / self.rtt.timeout().as_nanos().max(1);
        let restart = self.params.initial_window.min(self.cwnd);
        if reduces && timeouts > 0 && self.una > 0 {
            self.ssthresh = self.ssthresh.max(0.75 * self.cwnd);
            let mut cwnd = self.cwnd;
            for _ in 0..timeouts.min(64) {
                cwnd = floor(cwnd / 2.0).max(restart);
            }
            self.set_cwnd(now, cwnd);
        }
        self.unused_time(now)
    }

    /// The writes that were acknowledged.
    pub(crate) fn completed_writes(&self) -> &[CompletedWrite] {
        self.application.as_ref().map_or(&[], |application| &application.completions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packets_and_acks::{Ack, PacketSink, Segment};
    use crate::params::{Flavour, Profile, TcpParams};
    use crate::sender::Sender;
    use penstock_core::Bytes;

    struct Sink;

    impl PacketSink for Sink {
        fn transmit(&mut self, _segment: Segment) {}
    }

    fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    fn every(millis: u64, flavour: Flavour) -> TcpParams {
        let (write_every, pacing) = (Some(Span::from_millis(millis)), matches!(flavour, Flavour::Bbr));
        TcpParams { write: Bytes(2920), write_every, flavour, pacing, ..TcpParams::of(Profile::Linux) }
    }

    #[test]
    fn a_write_is_complete_when_its_last_packet_is_acknowledged() {
        let mut sender = Sender::new(every(50, Flavour::Reno).into());
        sender.start(at(0), &mut Sink);
        assert_eq!(sender.timer(), Some(at(50)));
        sender.on_timer(at(50), &mut Sink);
        for (now, ack) in [(80, 1), (100, 3), (110, 4)] {
            let stamp = at(0);
            let ack = Ack { ack, stamp, ece: false, ace: 0, sack: &[], retransmission: false };
            sender.on_timer(at(now), &mut Sink);
            sender.on_ack(at(now), &ack, &mut Sink);
        }
        let completed = |at_millis, after| CompletedWrite { at: at(at_millis), after: Span::from_millis(after) };
        assert_eq!(sender.completed_writes(), [completed(100, 100), completed(110, 60)]);
    }

    /// The draft on delivery rates: a connection is limited by its application while all written data is sent, and less
    /// than a window is in flight.
    #[test]
    fn samples_of_the_rate_are_limited_while_data_is_lacking() {
        let mut state = SenderState::new(every(50, Flavour::Bbr).into());
        state.start(at(0));
        let mut is_limited = |una, next, max| {
            (state.una, state.next, state.max) = (una, next, max);
            state.note_use(at(1));
            state.sampler().expect("a sampler").is_limited()
        };
        assert!(!is_limited(0, 1, 1), "one more packet is written");
        assert!(is_limited(0, 2, 2));
    }

    #[test]
    fn a_stopped_application_has_finished() {
        let mut sender = Sender::new(every(50, Flavour::Reno).into());
        sender.start(at(0), &mut Sink);
        sender.stop(at(10));
        assert_eq!(sender.finished(), None, "two packets are outstanding");
        let ack = Ack { ack: 2, stamp: at(0), ece: false, ace: 0, sack: &[], retransmission: false };
        sender.on_ack(at(40), &ack, &mut Sink);
        assert_eq!((sender.finished(), sender.timer()), (Some(at(40)), None));
    }
}
