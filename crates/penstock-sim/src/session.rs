//! Sessions: they open connections on flows of their own, which are reused.

use crate::probe::responsiveness::Probes;
use crate::routes::Route;
use crate::traffic::behaviour::Behaviour;
use penstock_core::{Rng, Time};
use penstock_tcp::{SenderCounts, TcpParams};
use std::sync::Arc;

/// No session: the flow lasts as long as the run.
pub(crate) const NO_SESSION: u32 = u32::MAX;

/// A source of connections.
pub(crate) struct Session {
    pub(crate) behaviour: Behaviour,
    pub(crate) rng: Rng,
    /// Rank of its timer in the event queue.
    pub(crate) rank: u32,
    pub(crate) group: u32,
    pub(crate) dscp: u8,
    /// Parameters of connections that carry data, and of those that carry requests.
    pub(crate) data: Arc<TcpParams>,
    pub(crate) request: Arc<TcpParams>,
    pub(crate) routes: Vec<Route>,
    /// It opens no connection from this time on.
    pub(crate) stop: Time,
    /// The flows that it has used, and the ones among them that are free.
    pub(crate) flows: Vec<u32>,
    pub(crate) free: Vec<u32>,
    pub(crate) closed: ClosedConnections,
    /// If its connections probe the responsiveness under load.
    pub(crate) probes: Option<Box<Probes>>,
}

impl Session {
    /// The time of its next action, if that is before it stops.
    pub(crate) fn next(&self) -> Time {
        Some(self.behaviour.next()).filter(|next| *next < self.stop).unwrap_or(Time::NEVER)
    }
}

/// Sums over the connections that were closed after the warm-up.
#[derive(Default)]
pub(crate) struct ClosedConnections {
    pub(crate) counts: SenderCounts,
    pub(crate) delivered_bytes: u64,
    /// Seconds during which they were open, added up.
    pub(crate) active_s: f64,
    pub(crate) completions: Vec<Completion>,
    /// Seconds that each round of transfers, or each page, took.
    pub(crate) rounds: Vec<f64>,
    /// Seconds that each write of an application took.
    pub(crate) writes: Vec<f64>,
}

/// A finished transfer.
#[derive(Clone, Copy)]
pub(crate) struct Completion {
    /// From the first packet to the last acknowledgement.
    pub(crate) seconds: f64,
    /// User data delivered.
    pub(crate) bytes: u64,
}

impl ClosedConnections {
    /// Add a connection that was closed, or cut off by the end of the run, at `now`. The connection was opened at
    /// `start`; `before` are its counts at the end of the warm-up, `warmup`.
    pub(crate) fn add(&mut self, start: Time, now: Time, counts: &SenderCounts, before: &SenderCounts, warmup: Time) {
        if now < warmup {
            return;
        }
        self.active_s += now.since(start.max(warmup)).as_secs();
        self.counts += *counts - *before;
    }
}
