//! PIE against the pseudocode of RFC 8033, packet by packet.

use super::super::*;
use super::MS;
use crate::rig::{Rig, thesis_link};
use alloc::collections::VecDeque;
use penstock_core::Ecn;
use penstock_core::param::Value;

/// Appendices A and B transcribed, with times in seconds, for a queue of `TAIL_DROP` bytes.
#[derive(Default)]
struct Pseudocode {
    extended: bool,
    estimates_rate: bool,
    queue: VecDeque<(f64, u64)>,
    bytes: u64,
    active: bool,
    burst_allowance: f64,
    drop_prob: f64,
    accu_prob: f64,
    current_qdelay: f64,
    qdelay_old: f64,
    last_timestamp: f64,
    dq_count: u64,
    measurement_start: f64,
    in_measurement: bool,
    avg_dq_time: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    Queued,
    Marked,
    Dropped,
}

impl Pseudocode {
    const QDELAY_REF: f64 = 0.015;
    const MAX_BURST: f64 = 0.15;
    const T_UPDATE: f64 = 0.015;
    const MAX_ECNTH: f64 = 0.1;
    const DQ_THRESHOLD: u64 = 16384;
    const TAIL_DROP: u64 = 60_000;
    const MEAN_PKTSIZE: u64 = 1500;

    fn enque_basic(&mut self, now: f64, size: u64, rng: &mut Rng) -> Fate {
        let half = Self::QDELAY_REF / 2.0;
        if self.drop_prob == 0.0 && self.current_qdelay < half && self.qdelay_old < half {
            self.burst_allowance = Self::MAX_BURST;
        }
        let spared = (self.qdelay_old < half && self.drop_prob < 0.2) || self.bytes <= 2 * Self::MEAN_PKTSIZE;
        if self.burst_allowance == 0.0 && !spared && rng.uniform() < self.drop_prob {
            return Fate::Dropped;
        }
        if self.bytes + size > Self::TAIL_DROP {
            return Fate::Dropped;
        }
        self.queue.push_back((now, size));
        self.bytes += size;
        Fate::Queued
    }

    fn enque_extended(&mut self, now: f64, size: u64, ecn: bool, rng: &mut Rng) -> Fate {
        let mut fate = Fate::Queued;
        if self.bytes + size > Self::TAIL_DROP {
            fate = Fate::Dropped;
            self.accu_prob = 0.0;
        } else if self.active && self.drop_early(rng) && self.burst_allowance == 0.0 {
            fate = if self.drop_prob < Self::MAX_ECNTH && ecn { Fate::Marked } else { Fate::Dropped };
            self.accu_prob = 0.0;
        }
        if fate != Fate::Dropped {
            self.queue.push_back((now, size));
            self.bytes += size;
        }
        if !self.active && self.bytes >= Self::TAIL_DROP / 3 {
            self.active = true;
            self.qdelay_old = 0.0;
            self.drop_prob = 0.0;
            self.in_measurement = true;
            self.dq_count = 0;
            self.avg_dq_time = 0.0;
            self.last_timestamp = now;
            self.burst_allowance = Self::MAX_BURST;
            self.accu_prob = 0.0;
            self.measurement_start = now;
        }
        // the second condition is our deviation from the RFC
        if self.drop_prob == 0.0
            && self.qdelay_old == 0.0
            && self.current_qdelay == 0.0
            && self.bytes < Self::TAIL_DROP / 3
        {
            self.active = false;
            self.in_measurement = false;
        }
        fate
    }

    fn drop_early(&mut self, rng: &mut Rng) -> bool {
        if (self.qdelay_old < Self::QDELAY_REF / 2.0 && self.drop_prob < 0.2) || self.bytes <= 2 * Self::MEAN_PKTSIZE {
            return false;
        }
        if self.drop_prob == 0.0 {
            self.accu_prob = 0.0;
        }
        self.accu_prob += self.drop_prob;
        if self.accu_prob < 0.85 {
            return false;
        }
        if self.accu_prob >= 8.5 {
            return true;
        }
        if rng.uniform() < self.drop_prob {
            self.accu_prob = 0.0;
            return true;
        }
        false
    }

    fn calculate_drop_prob(&mut self, now: f64) {
        // the tolerance allows for times in floating point
        if self.extended && !(now - self.last_timestamp >= Self::T_UPDATE - 1e-12 && self.active) {
            return;
        }
        if self.estimates_rate {
            self.current_qdelay = self.bytes as f64 * self.avg_dq_time / Self::DQ_THRESHOLD as f64;
        }
        let (alpha, beta) = (0.125, 1.25);
        let mut p = alpha * (self.current_qdelay - Self::QDELAY_REF) + beta * (self.current_qdelay - self.qdelay_old);
        if self.drop_prob < 0.000_001 {
            p /= 2048.0;
        } else if self.drop_prob < 0.000_01 {
            p /= 512.0;
        } else if self.drop_prob < 0.000_1 {
            p /= 128.0;
        } else if self.drop_prob < 0.001 {
            p /= 32.0;
        } else if self.drop_prob < 0.01 {
            p /= 8.0;
        } else if self.drop_prob < 0.1 {
            p /= 2.0;
        }
        if self.extended && self.drop_prob >= 0.1 && p > 0.02 {
            p = 0.02;
        }
        self.drop_prob += p;
        let half = Self::QDELAY_REF / 2.0;
        let decays = if self.extended {
            self.current_qdelay < half && self.qdelay_old < half
        } else {
            self.current_qdelay == 0.0 && self.qdelay_old == 0.0
        };
        if decays {
            self.drop_prob *= 0.98;
        }
        self.drop_prob = self.drop_prob.clamp(0.0, 1.0);
        self.qdelay_old = self.current_qdelay;
        self.last_timestamp = now;
        self.burst_allowance = (self.burst_allowance - Self::T_UPDATE).max(0.0);
        // 10 times 0.015 is not 0.15 in floating point
        if self.burst_allowance < 1e-12 {
            self.burst_allowance = 0.0;
        }
    }

    fn deque(&mut self, now: f64) -> bool {
        let Some((stamp, size)) = self.queue.pop_front() else {
            // our deviation from the RFC
            self.current_qdelay = 0.0;
            return false;
        };
        self.bytes -= size;
        if !self.estimates_rate {
            self.current_qdelay = now - stamp;
            return true;
        }
        if self.in_measurement {
            self.dq_count += size;
            if self.dq_count >= Self::DQ_THRESHOLD {
                let dq_time = now - self.measurement_start;
                if self.avg_dq_time == 0.0 {
                    self.avg_dq_time = dq_time;
                } else {
                    let weight = Self::DQ_THRESHOLD as f64 / 65536.0;
                    self.avg_dq_time = dq_time * weight + self.avg_dq_time * (1.0 - weight);
                }
                self.in_measurement = false;
            }
        }
        if self.bytes >= Self::DQ_THRESHOLD && !self.in_measurement {
            self.in_measurement = true;
            self.measurement_start = now;
            self.dq_count = 0;
        }
        true
    }
}

/// Drives the AQM and the pseudocode with the same arrivals and departures, and compares the fate of every packet.
struct Pair {
    rig: Rig,
    rng: Rng,
    plain: Pseudocode,
    /// Number of the next update of the probability.
    tick: u64,
}

impl Pair {
    fn new(variant: &str, delay: &str, seed: u64) -> Self {
        let settings = [
            ("variant".into(), Value::Text(variant.into())),
            ("delay".into(), Value::Text(delay.into())),
            ("ecn".into(), Value::Flag(variant == "extended")),
        ];
        let link = LinkInfo { limit: Limit::Bytes(Pseudocode::TAIL_DROP), ..thesis_link() };
        let plain = Pseudocode {
            extended: variant == "extended",
            estimates_rate: delay == "rate",
            active: variant == "basic",
            burst_allowance: Pseudocode::MAX_BURST,
            ..Pseudocode::default()
        };
        Self { rig: Rig::on(&link, "pie", &settings, seed).unwrap(), rng: Rng::stream(seed, "rig"), plain, tick: 1 }
    }

    /// Advances both to this time, in seconds, with the updates of the probability due until then.
    fn advance(&mut self, nanos: u64) -> f64 {
        while self.tick * 15 * MS <= nanos {
            self.plain.calculate_drop_prob((self.tick * 15 * MS) as f64 / 1e9);
            self.tick += 1;
        }
        self.rig.advance(Time::from_nanos(nanos).since(self.rig.now));
        nanos as f64 / 1e9
    }

    /// The fates of an arrival in the AQM and in the pseudocode.
    fn arrive(&mut self, now: f64, size: u64, ecn: bool) -> (Fate, Fate) {
        let fate = if self.plain.extended {
            self.plain.enque_extended(now, size, ecn, &mut self.rng)
        } else {
            self.plain.enque_basic(now, size, &mut self.rng)
        };
        let before = self.rig.counts;
        self.rig.arrive_as(size as u32, if ecn { Ecn::Ect0 } else { Ecn::Not });
        let seen = match (self.rig.counts.queued > before.queued, self.rig.counts.marked > before.marked) {
            (true, false) => Fate::Queued,
            (true, true) => Fate::Marked,
            (false, _) => Fate::Dropped,
        };
        (seen, fate)
    }
}

/// Runs both on one random trace. Returns the numbers of packets dropped and marked.
fn agree(variant: &str, delay: &str, seed: u64) -> (u32, u32) {
    let mut pair = Pair::new(variant, delay, seed);
    let mut script = Rng::stream(seed, "script");
    let (mut dropped, mut marked) = (0, 0);
    for step in 0..60_000 {
        let now = pair.advance(pair.rig.now.as_nanos() + script.below(MS));
        let busy = step / 10_000 % 2 == 0;
        if script.chance(if busy { 0.55 } else { 0.4 }) {
            let (size, ecn) = (40 + script.below(1460), script.chance(0.5));
            let (seen, fate) = pair.arrive(now, size, ecn);
            assert_eq!(seen, fate, "{variant} {delay}, step {step}");
            dropped += u32::from(fate == Fate::Dropped);
            marked += u32::from(fate == Fate::Marked);
        } else {
            assert_eq!(pair.rig.depart(), pair.plain.deque(now));
        }
        assert!((pair.rig.gauge("p") - pair.plain.drop_prob).abs() < 1e-9, "{variant} {delay}, step {step}");
    }
    (dropped, marked)
}

#[test]
fn every_packet_meets_the_fate_that_the_pseudocode_gives_it() {
    for (variant, delay) in [("basic", "timestamp"), ("extended", "timestamp"), ("extended", "rate")] {
        let (dropped, marked) =
            (1..=5).map(|seed| agree(variant, delay, seed)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        assert!(dropped > 500 && (marked > 20) == (variant == "extended"), "{variant} {delay}: {dropped}, {marked}");
    }
}
