//! Datagrams without feedback: at constant distance, or uniformly spread around it (`cbr`), at exponential distances
//! (`poisson`), at constant distance in bursts with pauses (`onoff`), or with redundancy among them (`fec`).

use crate::link::Wire;
use crate::scenario::{Draw, OnUnit, OnoffSpec, Phase, Spacing, TrafficKind, TrafficSpec, UdpSpec};
use crate::traffic::emitter::Datagram;
use crate::traffic::session::time;
use penstock_core::{Rate, Rng, Span};

/// A source of datagrams.
pub(crate) struct Datagrams {
    spacing: Spacing,
    payload: Draw,
    headers: u32,
    phase: Phase,
    jitter: f64,
    /// Paces the packets: each is followed by the time that a link of the source's rate would need to send it.
    pace: Wire,
    burst: Option<Burst>,
    rng: Rng,
    pub(crate) sent: u32,
}

/// The on-period that a packet belongs to.
struct Burst {
    spec: OnoffSpec,
    /// Packets or nanoseconds left of it.
    left: u64,
}

impl Burst {
    fn new(spec: &OnoffSpec, rng: &mut Rng) -> Self {
        let mut burst = Self { spec: spec.clone(), left: 0 };
        burst.begin(rng);
        burst
    }

    fn begin(&mut self, rng: &mut Rng) {
        let length = self.spec.on.draw(rng).ceil().clamp(0.0, 1e18) as u64;
        self.left = length.max(1);
    }

    /// The time to the next packet, if it would be `gap` within the on-period.
    fn gap(&mut self, gap: Span, rng: &mut Rng) -> Span {
        let spent = if self.spec.unit == OnUnit::Packets { 1 } else { gap.as_nanos() };
        if spent < self.left {
            self.left -= spent;
            return gap;
        }
        // A burst of packets ends with the time of the last of them, one of a time when that time is over.
        let rest = if self.spec.unit == OnUnit::Packets { gap } else { Span::from_nanos(self.left) };
        self.begin(rng);
        rest + time(&self.spec.off, rng)
    }
}

impl Datagrams {
    /// The source of this group that `spec` describes; `rng` is the flow's own stream.
    pub(crate) fn new(group: &TrafficSpec, spec: &UdpSpec, mut rng: Rng) -> Self {
        let drawn = spec.rate.draw(&mut rng);
        let (rate, spacing) = match (group.kind, &group.fec) {
            (_, Some(fec)) => (fec.raised(drawn), fec.spacing),
            (TrafficKind::Poisson, None) => (drawn, Spacing::Poisson),
            _ => (drawn, Spacing::Constant),
        };
        let rate = Rate::from_bits_per_second(rate.round().max(1.0) as u64);
        let (payload, headers, phase) = (spec.payload.clone(), spec.headers, spec.phase);
        let burst = group.onoff.as_ref().map(|onoff| Burst::new(onoff, &mut rng));
        Self { spacing, payload, headers, phase, jitter: spec.jitter, pace: Wire::new(rate), burst, rng, sent: 0 }
    }

    /// Time from the start of the flow to its first packet.
    pub(crate) fn first_gap(&mut self) -> Span {
        let mean = (self.payload.mean() + f64::from(self.headers)) * 8.0 / self.pace.rate().bits_per_second() as f64;
        match (self.spacing, self.phase) {
            (Spacing::Poisson, _) => Span::from_secs(self.rng.exponential(mean)),
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
        let gap = if self.spacing == Spacing::Poisson {
            let mean =
                (self.payload.mean() + f64::from(self.headers)) * 8.0 / self.pace.rate().bits_per_second() as f64;
            Span::from_secs(self.rng.exponential(mean))
        } else {
            let gap = self.pace.transmission(size);
            match &mut self.burst {
                Some(burst) => burst.gap(gap, &mut self.rng),
                None if self.jitter > 0.0 => {
                    let factor = self.rng.between(1.0 - self.jitter, 1.0 + self.jitter);
                    Span::from_nanos((gap.as_nanos() as f64 * factor).round() as u64)
                }
                None => gap,
            }
        };
        Datagram { payload, size, seq, gap, frame: None }
    }
}
