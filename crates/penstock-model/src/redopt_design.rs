//! RED's parameters for an equilibrium half-way between its thresholds (REDopt): C. Brandauer, G. Iannaccone, C. Diot,
//! T. Ziegler, S. Fdida, M. May, "Comparison of Tail Drop and Active Queue Management Performance for Bulk-Data and
//! Web-Like Internet Traffic", ISCC 2001, after T. Ziegler, S. Fdida, C. Brandauer, "Stability Criteria of RED with TCP
//! Traffic", IFIP ATM/IP Working Conference, Budapest, 2001. max_p is twice the drop probability that the flows need; the distance S of the thresholds
//! limits the oscillation; the weight averages over a period of TCP's saw-tooth.
//!
//! # Differences
//!
//! * The design of Ziegler et al. is rebuilt here from its description by Brandauer et al., who do not print it. The
//!   three coefficients of [`Spread::Regression`] could not be compared with any text that states them. They are kept
//!   because they give the distance that Brandauer et al. do print: about 300 packets for 256 flows (see the tests).
//! * [`Spread::Control`] is derived from C. Hollot, V. Misra, D. Towsley, W. Gong, "A Control Theoretic Analysis of
//!   RED", INFOCOM 2001, with a floor of 50 packets.
//! * `ps.model.redopt_search` needs no model: it measures which thresholds have the calmest centred queue.

use crate::bisection;
use crate::padhye::{self, Path};
use core::f64::consts::LN_10;
use penstock_core::math;

/// The flows and the link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// N: TCP flows. Above 0.
    pub flows: f64,
    /// Capacity of the link in packets per second. Above 0.
    pub capacity: f64,
    /// The capacity that other traffic leaves to TCP: B_tcp = C - R_udp (1 - P_udp), in packets per second. Above 0.
    pub tcp_capacity: f64,
    /// Mean round trip without queueing, in seconds. Above 0.
    pub rtt: f64,
    /// b: packets per ACK.
    pub b: f64,
    /// The minimum retransmission timeout in seconds; T_0 is the larger of this and two round trips.
    pub min_rto: f64,
    /// Factor on max_p that allows for traffic that does not respond to drops: 1.1 in the paper, 1 without such
    /// traffic.
    pub margin: f64,
}

/// How the distance of the thresholds is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// `reg`: S = 0.02158 x + 0.567 N + 85 packets, x = B_tcp R.
    Regression,
    /// `ctl`: S = max_p (R B_tcp)^3 / ((2 N)^2 sqrt(1 + (omega_g / K)^2)), omega_g = 0.1 min(2 N / (R^2 B_tcp), 1 / R),
    /// K = -ln(1 - w_q) B_tcp; at least 50 packets.
    Control,
}

/// The settings of RED.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Drop probability in equilibrium.
    pub p: f64,
    /// 2 p, times the margin, at most 1.
    pub max_p: f64,
    /// Weight of an arrival in the average.
    pub w_q: f64,
    /// 0.3 S, in packets.
    pub min_th: f64,
    /// 1.3 S, in packets.
    pub max_th: f64,
    /// 2 S, in packets.
    pub buffer: f64,
    /// Round trip in equilibrium, in seconds: the queue is 0.8 S.
    pub rtt: f64,
}

/// The shortest and the longest distance of thresholds examined, in packets.
const MIN_SPREAD: f64 = 50.0;
const LARGEST_SPREAD: f64 = 1e7;

/// RED's settings for this load; `None` if no drop probability suits it, or no distance up to ten million packets.
///
/// S is a fixed point: it determines the queue, which is part of the round trip, which determines S.
pub fn settings(load: &Load, spread: Spread) -> Option<Settings> {
    let excess = |s: f64| at_spread(load, s).map(|settings| wanted_spread(load, spread, &settings) - s);
    let mut s = MIN_SPREAD;
    if excess(s)? > 0.0 {
        let mut high = 2.0 * s;
        while excess(high)? > 0.0 {
            high *= 2.0;
            if high > LARGEST_SPREAD {
                return None;
            }
        }
        s = bisection::between(high / 2.0, high, |s| excess(s).unwrap_or(f64::INFINITY))?;
    }
    at_spread(load, s)
}

/// The settings when max_th - min_th is `s`: steps a to d, and f, of the recipe.
fn at_spread(load: &Load, s: f64) -> Option<Settings> {
    let Load { flows, capacity, tcp_capacity, b, min_rto, margin, .. } = *load;
    let (min_th, max_th) = (0.3 * s, 1.3 * s);
    let rtt = load.rtt + f64::midpoint(min_th, max_th) / capacity;
    let path = Path { rtt, timeout: min_rto.max(2.0 * rtt), b, window_limit: f64::INFINITY };
    let p = padhye::probability(tcp_capacity / flows, &path, true)?;
    // a period of the saw-tooth has I B_tcp packets, during which the average forgets all but a tenth: w_q = 1 - 0.1^(1
    // / m)
    let m = b * padhye::window_at_loss(p, b) / 2.0 * rtt * tcp_capacity;
    let w_q = -math::exp_m1(-LN_10 / m);
    Some(Settings { p, max_p: (2.0 * p * margin).min(1.0), w_q, min_th, max_th, buffer: 2.0 * s, rtt })
}

/// Step e: the distance of thresholds that these settings need.
fn wanted_spread(load: &Load, spread: Spread, settings: &Settings) -> f64 {
    let window = load.tcp_capacity * settings.rtt;
    match spread {
        Spread::Regression => 0.021_58 * window + 0.567 * load.flows + 85.0,
        Spread::Control => {
            let two_n = 2.0 * load.flows;
            let omega_g = 0.1 * (two_n / (settings.rtt * window)).min(1.0 / settings.rtt);
            let k = -math::ln_1p(-settings.w_q) * load.tcp_capacity;
            let gain = math::sqrt(1.0 + (omega_g / k) * (omega_g / k));
            (settings.max_p * window * window * window / (two_n * two_n * gain)).max(MIN_SPREAD)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 10 Mbit/s, 1514-byte packets, 1 Mbit/s of UDP of which 2 % is lost, 150 ms.
    fn load(flows: f64, b: f64) -> Load {
        let capacity = 10e6 / (8.0 * 1514.0);
        Load { flows, capacity, tcp_capacity: capacity * 0.902, rtt: 0.15, b, min_rto: 0.2, margin: 1.1 }
    }

    /// N, b, p, max_p, w_q, min_th, max_th, buffer, round trip.
    const TABLE: [[f64; 9]; 8] = [
        [16.0, 1.0, 0.0103, 0.0226, 0.00148, 29.0, 127.0, 196.0, 0.245],
        [32.0, 1.0, 0.0322, 0.0708, 0.00243, 32.0, 139.0, 214.0, 0.254],
        [64.0, 1.0, 0.0827, 0.1820, 0.00348, 38.0, 163.0, 251.0, 0.272],
        [128.0, 1.0, 0.1706, 0.3753, 0.00424, 49.0, 211.0, 325.0, 0.307],
        [256.0, 1.0, 0.2737, 0.6021, 0.00424, 71.0, 307.0, 472.0, 0.379],
        [16.0, 2.0, 0.0053, 0.0117, 0.00077, 29.0, 127.0, 196.0, 0.245],
        [64.0, 2.0, 0.0491, 0.1081, 0.00196, 38.0, 163.0, 251.0, 0.272],
        [256.0, 2.0, 0.2050, 0.4511, 0.00268, 71.0, 307.0, 472.0, 0.379],
    ];

    #[test]
    fn settings_are_those_worked_out() {
        for [flows, b, p, max_p, w_q, min_th, max_th, buffer, rtt] in TABLE {
            let found = settings(&load(flows, b), Spread::Regression).unwrap();
            let pairs = [(found.p, p), (found.max_p, max_p), (found.w_q, w_q), (found.rtt, rtt)];
            for (found, wanted) in pairs {
                assert!((found / wanted - 1.0).abs() < 0.02, "{found} for {wanted}, N = {flows}, b = {b}");
            }
            for (found, wanted) in [(found.min_th, min_th), (found.max_th, max_th), (found.buffer, buffer)] {
                assert!((found - wanted).abs() < 0.6, "{found} for {wanted}, N = {flows}, b = {b}");
            }
        }
    }

    #[test]
    fn the_settings_are_a_fixed_point() {
        for spread in [Spread::Regression, Spread::Control] {
            for flows in [16.0, 64.0, 256.0] {
                let load = load(flows, 1.0);
                let found = settings(&load, spread).unwrap();
                let s = found.max_th - found.min_th;
                assert!((wanted_spread(&load, spread, &found) / s - 1.0).abs() < 1e-6, "{spread:?}, {flows}: {s}");
                let path = Path { rtt: found.rtt, timeout: 2.0 * found.rtt, b: 1.0, window_limit: f64::INFINITY };
                assert!((flows * padhye::rate(found.p, &path) / load.tcp_capacity - 1.0).abs() < 1e-9);
                // half-way between the thresholds RED drops p, apart from the margin
                assert!((found.max_p / 2.0 / found.p - 1.1).abs() < 1e-12 && s >= 50.0);
            }
        }
    }

    #[test]
    fn too_many_flows_for_any_probability_have_no_settings() {
        assert_eq!(settings(&load(1e6, 1.0), Spread::Regression), None);
    }
}
