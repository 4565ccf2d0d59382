//! The sending end of a flow: its state, and the congestion control law of its flavour.

use crate::cc::{CongestionControl, Law};
use crate::packets_and_acks::{Ack, Network};
use crate::params::TcpParams;
use crate::sender_counts::SenderCounts;
use crate::state::{CompletedWrite, SenderState, TailProbe};
use alloc::sync::Arc;
use penstock_core::{Span, Time};

/// The sending end of a flow.
#[derive(Debug)]
pub struct Sender {
    state: SenderState,
    law: Law,
}

impl Sender {
    /// A sender that has not started.
    pub fn new(params: Arc<TcpParams>) -> Self {
        Self { law: Law::new(&params), state: SenderState::new(params) }
    }

    /// Its parameters.
    pub fn params(&self) -> &Arc<TcpParams> {
        &self.state.params
    }

    /// Start the transfer that the parameters describe.
    pub fn start(&mut self, now: Time, net: &mut impl Network) {
        self.state.start(now);
        self.law.fill(&mut self.state, now, net);
        self.state.note_use(now);
    }

    /// Start a transfer of `packets` data packets, in place of the length that the parameters give.
    pub fn start_transfer(&mut self, now: Time, packets: u32, net: &mut impl Network) {
        self.state.start_transfer(now, packets);
        self.law.fill(&mut self.state, now, net);
        self.state.note_use(now);
    }

    /// An ACK arrived. An ACK older than the last one is ignored.
    #[inline]
    pub fn on_ack(&mut self, now: Time, ack: &Ack<'_>, net: &mut impl Network) {
        if ack.ack >= self.state.una {
            self.law.on_ack(&mut self.state, now, ack, net);
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
    pub fn on_timer(&mut self, now: Time, net: &mut impl Network) {
        let Self { state, law } = self;
        if state.has_application() && state.take_writes(now) {
            law.on_write(state, now, net);
        }
        Self::pace_or_expire(state, law, now, net);
        if state.has_application() {
            state.note_use(now);
        }
    }

    /// A paced packet may leave, or the retransmission timer has expired.
    fn pace_or_expire(state: &mut SenderState, law: &mut Law, now: Time, net: &mut impl Network) {
        if state.ends_waiting(now) {
            law.on_pace(state, now, net);
        }
        if !state.is_overdue(now) {
            return;
        }
        if state.probe == TailProbe::Armed {
            law.on_probe(state, now, net);
        } else if state.time_out() {
            law.on_timeout(state, now, net);
        } else if state.max < state.end {
            law.on_idle(state, now, net);
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

    /// Number of packets of the transfer that are written so far, the opening packet included; `u32::MAX` for an
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
    /// has been measured, and the variables of the congestion control law: `alpha` (DCTCP, Prague), `w_max` in packets
    /// (CUBIC, while it is known), `btl_bw` in packets per second and `rtprop` in seconds (BBR), `max_bw` and `bw` in packets per
    /// second, `min_rtt` in seconds and the gains `pacing_gain` and `cwnd_gain` (BBR version 3), `base_rtt` in seconds (Vegas),
    /// `queueing_delay` in seconds (LEDBAT).
    pub fn gauges(&self, show: &mut dyn FnMut(&'static str, f64)) {
        show("cwnd", self.cwnd());
        show("ssthresh", self.ssthresh());
        if let Some(srtt) = self.srtt() {
            show("srtt", srtt.as_secs());
        }
        self.law.gauges(show);
    }

    /// The counts of the sender up to `now`.
    pub fn counts(&self, now: Time) -> SenderCounts {
        self.state.counts(now)
    }
}
