//! Responsiveness under load: short connections probe the path, and the smoothed round-trip times of the flows that load it
//! are sampled.

use penstock_core::{Span, Time};

/// The probes that a session opens.
pub(crate) struct Probes {
    /// The flows that load the path; one after the other is read, as probes end.
    loads: Vec<u32>,
    next: usize,
    /// Probes whose handshake is complete, and when it was.
    opened: Vec<(u32, Time)>,
    trips: Vec<Trips>,
}

/// The round trips at a probe, in seconds.
#[derive(Clone, Copy)]
pub(crate) struct Trips {
    /// Of the handshake (tcp_f).
    pub(crate) handshake: f64,
    /// Of the data behind it (http_f).
    pub(crate) transfer: f64,
    /// Of a loading connection: its smoothed round-trip time (http_l); `None` before its first measurement.
    pub(crate) loaded: Option<f64>,
}

impl Probes {
    pub(crate) fn new(loads: Vec<u32>) -> Self {
        Self { loads, next: 0, opened: Vec::new(), trips: Vec::new() }
    }

    /// The handshake on this flow is complete.
    pub(crate) fn on_opened(&mut self, now: Time, flow: u32) {
        // A repeated handshake has a second acknowledgement.
        if self.opened.iter().all(|(open, _)| *open != flow) {
            self.opened.push((flow, now));
        }
    }

    /// The loading flow that is read with the next probe that ends.
    pub(crate) fn next_load(&mut self) -> Option<u32> {
        let load = *self.loads.get(self.next)?;
        self.next = (self.next + 1) % self.loads.len();
        Some(load)
    }

    /// The probe that started at `start` on this flow ends; `counts` if that is part of the statistics.
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
