//! Poisson sources into a drop-tail queue against the closed forms: M/D/1, M/M/1 and both with a finite buffer.
//!
//! The queue holds waiting packets only, so a buffer of `limit` packets is a system of K = `limit` + 1.

use penstock_model::{mg1, mm1};
use penstock_sim::{Scenario, run};
use serde_json::{Value, json};

const RATE_BPS: f64 = 1e6;
const MEAN_BYTES: f64 = 1000.0;
const RUNS: u64 = 10;

/// How long a packet takes: always the same, or exponentially distributed.
#[derive(Clone, Copy)]
enum Service {
    Fixed,
    Exponential,
}

/// The compared numbers.
#[derive(Debug)]
struct Figures {
    /// Mean number of waiting packets.
    waiting: f64,
    /// Probability that none waits.
    nothing_waits: f64,
    /// Share of the packets that are lost.
    loss: f64,
}

/// `RUNS` runs of `packets` expected packets each at load `rho`.
fn measure(service: Service, rho: f64, limit: Option<u32>, packets: f64) -> Vec<Figures> {
    let size = match service {
        Service::Fixed => json!(MEAN_BYTES),
        Service::Exponential => json!({ "exp": MEAN_BYTES }),
    };
    let measured_ns = packets * 8.0 * MEAN_BYTES / (rho * RATE_BPS) * 1e9;
    let warmup_ns = 20_000_000_000_u64;
    let scenario = json!({
        "name": "theory", "warmup_ns": warmup_ns, "duration_ns": warmup_ns + measured_ns as u64, "sampling_ns": 10_000_000,
        "links": [{
            "name": "bottleneck", "drawn_as": "bottleneck", "from": "A", "to": "B", "rate": RATE_BPS, "delay": 1_000_000,
            "queue": {
                "scheme": "droptail", "params": {},
                "limit": limit.map_or(json!("inf"), |n| json!({ "packets": n })),
            },
            "watch": true, "shares": [], "loss": null, "rtt_ns": null,
        }],
        "traffic": [{
            "name": "load", "kind": "poisson", "count": 1, "from": ["A"], "to": ["B"], "path": null,
            "start": { "first_ns": 0, "every_ns": 0, "jitter_ns": 0 }, "stop_ns": null, "dscp": 0,
            "udp": { "rate": rho * RATE_BPS, "payload": size, "headers": 0, "phase": "random" },
        }],
        "options": { "computed_links": true, "flows": false, "series": false },
    });
    let scenario: Scenario = serde_json::from_value(scenario).expect("the scenario is well formed");
    (1..=RUNS).map(|seed| figures(&scenario, seed)).collect()
}

fn figures(scenario: &Scenario, seed: u64) -> Figures {
    let result: Value = serde_json::from_str(&run(scenario, seed).expect("the scenario is sound").to_json()).unwrap();
    let read = |name: &str| result["links"]["bottleneck"][name].as_f64().expect(name);
    Figures { waiting: read("length_mean_pkts"), nothing_waits: read("empty_share"), loss: read("loss_rate") }
}

/// Within four standard errors, and within 2 %.
fn assert_close(what: &str, values: impl Iterator<Item = f64>, theory: f64) {
    let values: Vec<f64> = values.collect();
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let error = (mean - theory).abs();
    assert!(error <= 4.0 * (variance / n).sqrt(), "{what}: {mean} against {theory}, more than four standard errors");
    assert!(error <= 0.02 * theory, "{what}: {mean} against {theory}, more than 2 %");
}

fn assert_agree(name: &str, measured: &[Figures], theory: &Figures) {
    assert_close(&format!("{name}: waiting"), measured.iter().map(|f| f.waiting), theory.waiting);
    assert_close(&format!("{name}: nothing waits"), measured.iter().map(|f| f.nothing_waits), theory.nothing_waits);
    if theory.loss > 0.0 {
        assert_close(&format!("{name}: loss"), measured.iter().map(|f| f.loss), theory.loss);
    } else {
        assert!(measured.iter().all(|f| f.loss == 0.0), "{name}: an infinite queue loses nothing");
    }
}

/// From the probabilities of 0..=K packets in the system.
fn of_distribution(p: &[f64]) -> Figures {
    let waiting = p.iter().enumerate().skip(1).map(|(n, p_n)| (n - 1) as f64 * p_n).sum();
    Figures { waiting, nothing_waits: p[0] + p[1], loss: p[p.len() - 1] }
}

#[test]
fn fixed_sizes_are_m_d_1() {
    for rho in [0.5, 0.8] {
        let theory = Figures { waiting: mg1::waiting(rho, 0.0), nothing_waits: mg1::nothing_waits(rho), loss: 0.0 };
        assert_agree("M/D/1", &measure(Service::Fixed, rho, None, 200_000.0), &theory);
    }
}

#[test]
fn exponential_sizes_are_m_m_1() {
    for rho in [0.5, 0.7] {
        let nothing_waits = mm1::probability(rho, 0) + mm1::probability(rho, 1);
        let theory = Figures { waiting: mm1::waiting(rho), nothing_waits, loss: 0.0 };
        assert_agree("M/M/1", &measure(Service::Exponential, rho, None, 200_000.0), &theory);
    }
}

#[test]
fn fixed_sizes_and_a_buffer_are_m_d_1_k() {
    for (rho, limit) in [(0.9, 4), (1.2, 9)] {
        let name = format!("M/D/1/{}", limit + 1);
        assert_agree(
            &name,
            &measure(Service::Fixed, rho, Some(limit), 1_000_000.0),
            &of_distribution(&mg1::of_k(rho, limit as usize + 1)),
        );
    }
}

#[test]
fn exponential_sizes_and_a_buffer_are_m_m_1_k() {
    for (rho, limit) in [(0.9, 4), (1.2, 9)] {
        let k = limit + 1;
        let p: Vec<f64> = (0..=k).map(|n| mm1::probability_of_k(rho, k, n)).collect();
        let name = format!("M/M/1/{k}");
        assert_agree(&name, &measure(Service::Exponential, rho, Some(limit), 100_000.0), &of_distribution(&p));
    }
}
