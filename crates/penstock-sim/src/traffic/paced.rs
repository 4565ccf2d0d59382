//! Datagrams at a rate, without feedback: with constant gaps, or gaps drawn uniformly around a constant (`cbr`), with
//! exponential gaps (`poisson`), with constant gaps in bursts separated by pauses (`onoff`), or with redundancy
//! (`fec`).

use crate::scenario::{Draw, OnUnit, OnoffSpec, Phase, Spacing, TrafficKind, TrafficSpec, UdpSpec, rate};
use crate::traffic::datagram::{Datagram, next_number};
use penstock_core::{Ecn, Framing, Rng, Span};
use penstock_link::Transmitter;

/// A source of datagrams at a rate.
pub(crate) struct Paced {
    spacing: Spacing,
    payload: Draw,
    headers: u32,
    phase: Phase,
    jitter: f64,
    /// Intervals between packets: the transmission time of each on a link of the source's rate.
    pace: Transmitter,
    burst: Option<Burst>,
    rng: Rng,
    pub(crate) sent: u32,
}

/// The on-period that a packet belongs to.
struct Burst {
    spec: OnoffSpec,
    /// Packets or nanoseconds that remain of it.
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

    /// Time to the next packet, given its interval `gap` within an on-period.
    fn gap(&mut self, gap: Span, rng: &mut Rng) -> Span {
        let spent = if self.spec.unit == OnUnit::Packets { 1 } else { gap.as_nanos() };
        if spent < self.left {
            self.left -= spent;
            return gap;
        }
        // A burst counted in packets lasts until the gap after its last packet, one counted in time until its end.
        let rest = if self.spec.unit == OnUnit::Packets { gap } else { Span::from_nanos(self.left) };
        self.begin(rng);
        rest + self.spec.off.span(rng)
    }
}

impl Paced {
    /// The source of this group that `spec` describes; `rng` is the flow's own stream.
    pub(crate) fn new(group: &TrafficSpec, spec: &UdpSpec, mut rng: Rng) -> Self {
        let drawn = spec.rate.draw(&mut rng);
        let (bits_per_second, spacing) = match (group.kind, &group.fec) {
            (_, Some(fec)) => (fec.raised(drawn), fec.spacing),
            (TrafficKind::Poisson, None) => (drawn, Spacing::Poisson),
            _ => (drawn, Spacing::Constant),
        };
        let (payload, headers, phase) = (spec.payload.clone(), spec.headers, spec.phase);
        let burst = group.onoff.as_ref().map(|onoff| Burst::new(onoff, &mut rng));
        Self {
            spacing,
            payload,
            headers,
            phase,
            jitter: spec.jitter,
            pace: Transmitter::new(rate(bits_per_second), Framing::NONE),
            burst,
            rng,
            sent: 0,
        }
    }

    /// Time from the start of the flow to its first packet.
    pub(crate) fn first_gap(&mut self) -> Span {
        let mean = self.mean_gap_s();
        match (self.spacing, self.phase) {
            (Spacing::Poisson, _) => Span::from_secs(self.rng.exponential(mean)),
            (_, Phase::Random) => Span::from_secs(self.rng.between(0.0, mean)),
            (_, Phase::Zero) => Span::ZERO,
        }
    }

    /// Mean gap in seconds between datagrams of the mean size.
    fn mean_gap_s(&self) -> f64 {
        (self.payload.mean() + f64::from(self.headers)) * 8.0 / self.pace.rate().bits_per_second() as f64
    }

    /// The next datagram. The mean gap is size / rate, so that the rate counts bits on the wire.
    pub(crate) fn next(&mut self) -> Datagram {
        let payload = self.payload.draw(&mut self.rng).round().clamp(1.0, f64::from(u32::MAX / 2)) as u32;
        let size = payload + self.headers;
        let seq = self.sent;
        self.sent = next_number(seq);
        let gap = if self.spacing == Spacing::Poisson {
            let mean = self.mean_gap_s();
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
        Datagram { payload, size, seq, gap, ecn: Ecn::Not, dscp: 0, frame: None }
    }
}
