//! Responsiveness under load: short connections probe the path, and the smoothed round-trip times of the flows that load it
//! are sampled.

use penstock_core::{Span, Time};

/// The probes that a session opens.
pub(crate) struct Probes {
    /// The flows that load the path. Each probe that ends samples the next of them, round robin.
    loads: Vec<u32>,
    next: usize,
    /// Open probes whose handshake is complete, and the time of its completion.
    opened: Vec<(u32, Time)>,
    trips: Vec<Trips>,
}

/// The round-trip times measured with one probe, in seconds.
#[derive(Clone, Copy)]
pub(crate) struct Trips {
    /// Duration of the handshake (tcp_f).
    pub(crate) handshake: f64,
    /// Duration of the transfer that follows (http_f).
    pub(crate) transfer: f64,
    /// Smoothed round-trip time of a loading connection (http_l); `None` if there is none.
    pub(crate) loaded: Option<f64>,
}

impl Probes {
    pub(crate) fn new(loads: Vec<u32>) -> Self {
        Self { loads, next: 0, opened: Vec::new(), trips: Vec::new() }
    }

    /// The handshake on this flow is complete.
    pub(crate) fn on_opened(&mut self, now: Time, flow: u32) {
        // A repeated handshake is acknowledged twice; the first acknowledgement counts.
        if self.opened.iter().all(|(open, _)| *open != flow) {
            self.opened.push((flow, now));
        }
    }

    /// The loading flow to sample for the probe that ends; advances to the next one.
    pub(crate) fn next_load(&mut self) -> Option<u32> {
        let load = *self.loads.get(self.next)?;
        self.next = (self.next + 1) % self.loads.len();
        Some(load)
    }

    /// The probe on this flow, which started at `start`, ends. Its times are recorded only if `counts`.
    pub(crate) fn on_end(&mut self, now: Time, flow: u32, start: Time, loaded: Option<Span>, counts: bool) {
        let Some(place) = self.opened.iter().position(|(open, _)| *open == flow) else { return };
        let (_, opened) = self.opened.swap_remove(place);
        if counts {
            let (handshake, transfer) = (opened.since(start).as_secs(), now.since(opened).as_secs());
            self.trips.push(Trips { handshake, transfer, loaded: loaded.map(Span::as_secs) });
        }
    }

    pub(crate) fn trips(&self) -> &[Trips] {
        &self.trips
    }
}
