//! Metrics that users notice: call quality, Quality of Outcome of an application, responsiveness under load.

use crate::probe::responsiveness::{Probes, Trips};
use crate::scenario::{Codec, Draw, QooSpec, UdpSpec};
use penstock_core::Span;
use penstock_link::metrics::Metrics;
use penstock_link::probe::histogram::Histogram;
use penstock_model::e_model;
use penstock_model::outcome::{Range, quality_of_outcome};
use penstock_model::responsiveness::{per_minute, rpm, trimmed_mean};

/// Quality of telephone calls with these delays and this share of lost packets. The receiver delays the play-out by the
/// time that is best for the call; later packets count as lost. A packet must be filled before it is sent.
pub(super) fn call_metrics(metrics: &mut Metrics, codec: Codec, udp: &UdpSpec, delays: &Histogram, lost: f64) {
    let codec = match codec {
        Codec::G711 => e_model::G711,
        Codec::G711Plain => e_model::G711_PLAIN,
        Codec::G729A => e_model::G729A,
    };
    let (Draw::Fixed(rate), Draw::Fixed(payload)) = (&udp.rate, &udp.payload) else { return };
    let filling = (payload + f64::from(udp.headers)) * 8.0 / rate;
    // Up to half of the packets may be late.
    let in_time: Vec<f64> = (0..=500).rev().map(|late| 1.0 - f64::from(late) / 1000.0).collect();
    let rated = |(in_time, delay): (f64, Option<f64>)| {
        let delay = delay? + filling;
        Some((e_model::rating(delay, 1.0 - (1.0 - lost) * in_time, codec), delay))
    };
    let delays = delays.quantiles(&in_time);
    let best = in_time.into_iter().zip(delays).rev().filter_map(rated);
    let best = best.max_by(|(one, _), (other, _)| one.total_cmp(other));
    metrics.number("mos", best.map(|(r, _)| e_model::mos(r)));
    metrics.number("r_factor", best.map(|(r, _)| r));
    metrics.number("mouth_to_ear_s", best.map(|(_, delay)| delay));
}

/// Quality of Outcome from the one-way delays, the share of lost packets, and the mean goodput of a flow in bit/s.
pub(super) fn outcome(spec: &QooSpec, delays: &Histogram, lost: f64, goodput: f64) -> f64 {
    let range = |[optimal, unacceptable]: [f64; 2]| Range { optimal, unacceptable };
    let shares: Vec<f64> = spec.delays.iter().map(|(share, _)| *share).collect();
    let delays = delays.quantiles(&shares).into_iter().zip(&spec.delays).map(|(delay, (_, ends))| {
        // If no packet arrived, the delay is infinite and scores 0.
        (delay.unwrap_or(f64::INFINITY), range(ends.map(|nanos| Span::from_nanos(nanos).as_secs())))
    });
    let losses = spec.loss.map(|ends| (lost, range(ends)));
    quality_of_outcome(delays.chain(losses), spec.throughput.is_none_or(|needed| goodput >= needed))
}

/// Responsiveness under load, in round trips per minute, from the probes of all sessions of a group.
pub(super) fn responsiveness<'a>(metrics: &mut Metrics, probes: impl Iterator<Item = &'a Probes>) {
    let trips: Vec<Trips> = probes.flat_map(Probes::trips).copied().collect();
    let mean = |part: fn(&Trips) -> Option<f64>| trimmed_mean(trips.iter().filter_map(part));
    metrics.count("rpm_probes", trips.len() as u64);
    let foreign = mean(|trip| Some(trip.handshake)).zip(mean(|trip| Some(trip.transfer)));
    let Some((handshake, transfer)) = foreign else { return };
    let foreign = per_minute(f64::midpoint(handshake, transfer));
    let loaded = mean(|trip| trip.loaded).map(per_minute);
    metrics.number("rpm", loaded.map(|loaded| rpm(foreign, loaded)));
    metrics.number("rpm_foreign", foreign);
    metrics.number("rpm_loaded", loaded);
}
