//! The sender of a flow: its state, and the congestion control of its flavour.
//!
//! An ACK goes to the congestion control (`cc`), which calls the steps in `state`.

use crate::cc::{AnyCongestionControl, CongestionControl};
use crate::packets_and_acks::{Ack, PacketSink};
use crate::params::TcpParams;
use crate::sender_counts::SenderCounts;
use crate::state::{CompletedWrite, SenderState, TailProbe};
use alloc::sync::Arc;
use penstock_core::{Span, Time};

/// The sending end of a flow.
#[derive(Debug)]
pub struct Sender {
    state: SenderState,
    control: AnyCongestionControl,
}

impl Sender {
    /// A sender that has not started.
    pub fn new(params: Arc<TcpParams>) -> Self {
        Self { control: AnyCongestionControl::new(&params), state: SenderState::new(params) }
    }

    /// Its parameters.
    pub fn params(&self) -> &Arc<TcpParams> {
        &self.state.params
    }

    /// Start the transfer that the parameters describe.
    pub fn start(&mut self, now: Time, net: &mut impl PacketSink) {
        self.state.start(now);
        self.control.fill(&mut self.state, now, net);
        self.state.note_use(now);
    }

    /// Start a transfer of `packets` data packets, in place of the length that the parameters give.
    pub fn start_transfer(&mut self, now: Time, packets: u32, net: &mut impl PacketSink) {
        self.state.start_transfer(now, packets);
        self.control.fill(&mut self.state, now, net);
        self.state.note_use(now);
    }

    /// An ACK arrived. An ACK older than the last one is ignored.
    #[inline]
    pub fn on_ack(&mut self, now: Time, ack: &Ack<'_>, net: &mut impl PacketSink) {
        if ack.ack >= self.state.una {
            self.control.on_ack(&mut self.state, now, ack, net);
            if self.state.has_application() {
                self.state.note_use(now);
            }
        }
    }

    /// When to call [`Self::on_timer`].
    #[inline]
    pub fn timer(&self) -> Option<Time> {
        let timer = self.state.timer();
        (timer != Time::NEVER).then_some(timer)
    }

    /// The time that [`Self::timer`] returned has come.
    pub fn on_timer(&mut self, now: Time, net: &mut impl PacketSink) {
        let Self { state, control } = self;
        if state.has_application() && state.take_writes(now) {
            control.on_write(state, now, net);
        }
        Self::pace_or_expire(state, control, now, net);
        if state.has_application() {
            state.note_use(now);
        }
    }

    /// A paced packet may leave, or the retransmission timer has expired.
    fn pace_or_expire(
        state: &mut SenderState,
        control: &mut AnyCongestionControl,
        now: Time,
        net: &mut impl PacketSink,
    ) {
        if state.ends_waiting(now) {
            control.on_pace(state, now, net);
        }
        if !state.is_overdue(now) {
            return;
        }
        if state.probe == TailProbe::Armed {
            control.on_probe(state, now, net);
        } else if state.time_out() {
            control.on_timeout(state, now, net);
        } else if state.max < state.end {
            control.on_idle(state, now, net);
        }
    }

    /// Send no new data from now on; losses among the packets outstanding are still repaired.
    pub fn stop(&mut self, now: Time) {
        self.state.stop(now);
    }

    /// When all data was ACKed; `None` until then.
    pub fn finished(&self) -> Option<Time> {
        self.state.finished()
    }

    /// The acknowledged writes of an application that writes at given times.
    pub fn completed_writes(&self) -> &[CompletedWrite] {
        self.state.completed_writes()
    }

    /// Number of packets of the transfer that have been written so far, the SYN included; `u32::MAX` for an
    /// endless transfer.
    #[inline]
    pub fn end(&self) -> u32 {
        self.state.end
    }

    /// Congestion window in packets, without the inflation of a fast recovery.
    pub fn cwnd(&self) -> f64 {
        self.state.cwnd
    }

    /// Slow start threshold in packets.
    pub fn ssthresh(&self) -> f64 {
        self.state.ssthresh
    }

    /// Smoothed round-trip time, at the granularity of the sender's clock; `None` before the first measurement.
    pub fn srtt(&self) -> Option<Span> {
        self.state.srtt()
    }

    /// Show the state to a probe, as (name, value): `cwnd` and `ssthresh` in packets, `srtt` in seconds once a round-trip time
    /// has been measured, and the variables of the congestion control: `alpha` (DCTCP, Prague), `w_max` in packets
    /// (CUBIC, while it is known), `btl_bw` in packets per second and `rtprop` in seconds (BBR), `max_bw` and `bw` in packets per
    /// second, `min_rtt` in seconds and the gains `pacing_gain` and `cwnd_gain` (BBR version 3), `base_rtt` in seconds (Vegas),
    /// `queueing_delay` in seconds (LEDBAT).
    pub fn gauges(&self, show: &mut dyn FnMut(&'static str, f64)) {
        show("cwnd", self.cwnd());
        show("ssthresh", self.ssthresh());
        if let Some(srtt) = self.srtt() {
            show("srtt", srtt.as_secs());
        }
        self.control.gauges(show);
    }

    /// The counts of the sender up to `now`.
    pub fn counts(&self, now: Time) -> SenderCounts {
        self.state.counts(now)
    }
}
