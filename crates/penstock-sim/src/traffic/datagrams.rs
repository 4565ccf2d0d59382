//! Datagrams without feedback: at constant distance (`cbr`) or at exponential distances (`poisson`).

use crate::link::Wire;
use crate::scenario::{Draw, Phase, TrafficKind, UdpSpec};
use penstock_core::{Rate, Rng, Span};

/// A source of datagrams.
pub(crate) struct Datagrams {
    kind: TrafficKind,
    payload: Draw,
    headers: u32,
    phase: Phase,
    /// Paces the packets: each is followed by the time that a link of the source's rate would need to send it.
    pace: Wire,
    rng: Rng,
    pub(crate) sent: u32,
}

/// A datagram to send now, and the time to the next.
pub(crate) struct Datagram {
    pub(crate) payload: u32,
    pub(crate) size: u32,
    pub(crate) seq: u32,
    pub(crate) gap: Span,
}

impl Datagrams {
    /// The source that `spec` describes; `rng` is the flow's own stream.
    pub(crate) fn new(kind: TrafficKind, spec: &UdpSpec, mut rng: Rng) -> Self {
        let rate = Rate::from_bits_per_second(spec.rate.draw(&mut rng).round().max(1.0) as u64);
        let (payload, headers, phase) = (spec.payload.clone(), spec.headers, spec.phase);
        Self { kind, payload, headers, phase, pace: Wire::new(rate), rng, sent: 0 }
    }

    /// Time from the start of the flow to its first packet.
    pub(crate) fn first_gap(&mut self) -> Span {
        let mean = (self.payload.mean() + f64::from(self.headers)) * 8.0 / self.pace.rate().bits_per_second() as f64;
        match (self.kind, self.phase) {
            (TrafficKind::Poisson, _) => Span::from_secs(self.rng.exponential(mean)),
            (_, Phase::Random) => Span::from_secs(self.rng.between(0.0, mean)),
            (_, Phase::Zero) => Span::ZERO,
        }
    }

    /// The next datagram. Its gap has the mean size / rate, so that the rate counts bits on the wire.
    pub(crate) fn next(&mut self) -> Datagram {
        let payload = self.payload.draw(&mut self.rng).round().clamp(1.0, f64::from(u32::MAX / 2)) as u32;
        let size = payload + self.headers;
        let seq = self.sent;
        self.sent += 1;
        let gap = if self.kind == TrafficKind::Poisson {
            let mean =
                (self.payload.mean() + f64::from(self.headers)) * 8.0 / self.pace.rate().bits_per_second() as f64;
            Span::from_secs(self.rng.exponential(mean))
        } else {
            self.pace.transmission(size)
        };
        Datagram { payload, size, seq, gap }
    }
}
