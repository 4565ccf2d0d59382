//! The margins of TCP's loop against the design rules that promise them, and its poles against its own trajectories.

use penstock_model::avq_design::{self, Reading};
use penstock_model::complex::Complex;
use penstock_model::fluid::avq::Avq;
use penstock_model::fluid::integral::{Integral, Shape};
use penstock_model::fluid::lred::Lred;
use penstock_model::fluid::red::Red;
use penstock_model::fluid::{Continuous, Fluid, Instant, Start, Tcp};
use penstock_model::margins::margins;
use penstock_model::{Plant, lred_design, pi_design, pie_design};

/// The papers' plant: (C^2 / 2N) e^(-s R) / ((s + 2N / (R^2 C)) (s + 1 / R)).
fn papers_plant(plant: &Plant, s: Complex) -> Complex {
    let Plant { flows, rtt, capacity } = *plant;
    let poles = (s + Complex::real(2.0 * flows / (rtt * rtt * capacity))) * (s + Complex::real(1.0 / rtt));
    s.times(-rtt).exp().times(capacity * capacity / (2.0 * flows)) / poles
}

/// The flows whose round trip with `queue` packets waiting is that of the plant.
fn around(plant: &Plant, queue: f64, eta: f64) -> Tcp {
    let Plant { flows, rtt, capacity } = *plant;
    Tcp { flows, propagation: rtt - queue / capacity, capacity, eta }
}

/// Hollot et al.'s example: 60 flows, 3750 packets a second, 0.246 s.
const HOLLOT: Plant = Plant { flows: 60.0, rtt: 0.246, capacity: 3750.0 };

#[test]
fn the_pi_rule_keeps_its_phase_margin() {
    for plant in [HOLLOT, Plant { flows: 3.0, rtt: 0.252, capacity: 187.5 }, Plant { flows: 20.0, ..HOLLOT }] {
        let gains = pi_design::gains(&plant, 170.0);
        // the zero cancels the pole of TCP, and the gain is 1 at omega_g: pi/2 - omega_g R - arctan(omega_g R) is left
        let turn = gains.omega_g * plant.rtt;
        let wanted = core::f64::consts::FRAC_PI_2 - turn - turn.atan();
        let controller = |s: Complex| (s.times(1.0 / gains.omega_g) + Complex::real(1.0)).times(gains.k_pi) / s;
        let simple = margins(|s| controller(s) * papers_plant(&plant, s), plant.rtt);
        assert!((simple.phase - wanted).abs() < 1e-9 && (simple.phase_omega / gains.omega_g - 1.0).abs() < 1e-9);
        // with all terms kept it is nearly the same
        let law = Integral::pi(gains.a, gains.b, 170.0, 20.0);
        let fluid = Fluid { tcp: around(&plant, 20.0, 2.0), law: &law };
        let full = fluid.margins(&fluid.equilibrium().unwrap());
        assert!(full.stable && (full.phase - wanted).abs() < 0.02, "{full:?}, {wanted}");
    }
    // the paper's example: omega_g = 0.53 rad/s, a phase margin of 75 degrees
    let gains = pi_design::gains(&HOLLOT, 160.0);
    assert!((gains.omega_g - 0.53).abs() < 0.005);
    let turn: f64 = gains.omega_g * HOLLOT.rtt;
    assert!((90.0 - (turn + turn.atan()).to_degrees() - 75.0).abs() < 0.5);
}

#[test]
fn the_pi_rule_is_safe_for_more_flows_and_shorter_round_trips() {
    let gains = pi_design::gains(&HOLLOT, 170.0);
    let law = Integral::pi(gains.a, gains.b, 170.0, 100.0);
    let least = pi_design::gains(&HOLLOT, 170.0).omega_g * HOLLOT.rtt;
    for flows in [60.0, 100.0, 200.0] {
        for rtt in [0.12, 0.18, 0.246] {
            let plant = Plant { flows, rtt, ..HOLLOT };
            let fluid = Fluid { tcp: around(&plant, 100.0, 2.0), law: &law };
            let found = fluid.margins(&fluid.equilibrium().unwrap());
            let promised = core::f64::consts::FRAC_PI_2 - least - least.atan();
            assert!(found.stable && found.phase > promised - 0.02, "N = {flows}, R = {rtt}: {found:?}");
        }
    }
}

#[test]
fn the_rule_for_red_keeps_the_crossover_below_its_own() {
    // Hollot et al., "A Control Theoretic Analysis of RED": omega_g = 0.1 min(2 N / (R^2 C), 1 / R) and
    // L (R C)^3 / (2 N)^2 <= sqrt(omega_g^2 / K^2 + 1), which leaves at least 180 - 90 - 3 * 5.74 degrees
    for (plant, pole) in [(HOLLOT, 0.005), (HOLLOT, 0.5), (Plant { flows: 200.0, ..HOLLOT }, 0.05)] {
        let Plant { flows, rtt, capacity } = plant;
        let omega_g = 0.1 * (2.0 * flows / (rtt * rtt * capacity)).min(1.0 / rtt);
        let steepest = (1.0 + (omega_g / pole).powi(2)).sqrt() * (2.0 * flows).powi(2) / (rtt * capacity).powi(3);
        let window = rtt * capacity / flows;
        let p = 2.0 / (window * window);
        // a ramp of this slope that crosses p at a queue of 200 packets
        let law =
            Red { pole, min_th: 200.0 - p / steepest, max_th: 200.0 + p / steepest, max_p: 2.0 * p, gentle_top: None };
        let fluid = Fluid { tcp: around(&plant, 200.0, 2.0), law: &law };
        let at = fluid.equilibrium().unwrap();
        assert!((at.queue - 200.0).abs() < 1e-6 && (at.probability / p - 1.0).abs() < 1e-9);
        let found = fluid.margins(&at);
        let least = (180.0 - 90.0 - 3.0 * 0.1_f64.atan().to_degrees()).to_radians();
        assert!(found.stable, "{found:?}");
        // the gain may pass 1 nowhere: a ramp so flat is safe at any phase
        assert!(
            found.phase.is_nan() || (found.phase_omega <= omega_g * 1.01 && found.phase > least - 0.01),
            "{found:?}"
        );
    }
}

#[test]
fn the_corrected_theorem_of_avq_is_the_border() {
    for (flows, rtt, gamma) in [(28.0, 0.252, 1.0), (103.0, 0.252, 1.0), (53.0, 0.634, 1.0), (40.0, 0.252, 0.9)] {
        let plant = Plant { flows, rtt, capacity: 187.5 };
        let largest = avq_design::alpha(&plant, gamma, Reading::Corrected).unwrap();
        for (share, stable) in [(0.98, true), (1.02, false)] {
            let law = Avq { alpha: share * largest, gamma, capacity: 187.5 };
            // the theorem has a TCP with W^2 p = 3/2, and nothing waits
            let fluid = Fluid { tcp: Tcp { flows, propagation: rtt, capacity: 187.5, eta: 1.5 }, law: &law };
            // more flows than the windows allow have no equilibrium, but the theorem does not ask
            let Some(at) = fluid.equilibrium() else { continue };
            let found = fluid.margins(&at);
            assert_eq!(found.stable, stable, "N = {flows}: {found:?}");
            assert!((found.gain - 1.0).abs() < 0.03 && found.phase.abs() < 0.06, "{found:?}");
            assert_eq!(fluid.dominant_pole(&at).unwrap().re < 0.0, stable);
        }
    }
}

#[test]
fn the_rule_of_lred_is_the_border_of_its_own_plant_and_safe_in_the_full_one() {
    for (flows, rtt) in [(28.0, 0.252), (60.0, 0.252), (60.0, 0.634)] {
        let plant = Plant { flows, rtt, capacity: 187.5 };
        let eta = lred_design::ETA;
        let beta = lred_design::bounds(&plant, eta).phase;
        let p = eta * (flows / plant.rtt / plant.capacity).powi(2);
        if p >= 1.0 {
            continue;
        }
        // the rule: (C^2 / (eta N)) e^(-s R) / (s (s + 2 N / (R^2 C))), the queue without its own pole
        let of_rule = |s: Complex| {
            let pole = Complex::real(2.0 * flows / (rtt * rtt * 187.5));
            s.times(-rtt).exp().times(beta * p.sqrt() * 187.5 * 187.5 / (eta * flows)) / (s * (s + pole))
        };
        let rule = margins(of_rule, rtt);
        assert!((rule.gain - 1.0).abs() < 1e-6 && rule.phase.abs() < 1e-6, "{rule:?}");
        let law = Lred { beta, target: 10.0, tau: 1.0 };
        let fluid = Fluid { tcp: around(&plant, 10.0, eta), law: &law };
        assert!(fluid.margins(&fluid.equilibrium().unwrap()).stable);
    }
}

/// The laws and links of the comparison with trajectories: stable and unstable ones.
fn cases() -> Vec<(&'static str, Box<dyn Continuous>, Tcp)> {
    let link = |flows: f64, propagation: f64| Tcp { flows, propagation, capacity: 2500.0, eta: 2.0 };
    let red = Red { pole: 1.0, min_th: 50.0, max_th: 250.0, max_p: 0.1, gentle_top: None };
    let gains = pi_design::gains(&Plant { flows: 40.0, rtt: 0.25, capacity: 2500.0 }, 170.0);
    let pi = Integral::pi(gains.a, gains.b, 170.0, 150.0);
    let pi2 = Integral::pi2(&pie_design::dualpi2(0.016, 0.1), 0.015, 2500.0);
    vec![
        ("red", Box::new(red), link(60.0, 0.1)),
        ("red", Box::new(red), link(18.0, 0.1)),
        ("pi", Box::new(pi), link(60.0, 0.15)),
        ("pi", Box::new(pi), link(12.0, 0.3)),
        ("pi2", Box::new(pi2), link(40.0, 0.05)),
        ("pi2", Box::new(pi2), link(8.0, 0.3)),
        ("avq", Box::new(Avq { alpha: 0.3, gamma: 0.95, capacity: 2500.0 }), link(150.0, 0.1)),
    ]
}

#[test]
fn small_disturbances_go_as_the_dominant_pole_says() {
    let mut unstable = 0;
    for (name, law, tcp) in cases() {
        let fluid = Fluid { tcp, law: &*law };
        let at = fluid.equilibrium().expect(name);
        let pole = fluid.dominant_pole(&at).expect(name);
        assert_eq!(pole.re < 0.0, fluid.margins(&at).stable, "{name}: {pole:?}");
        unstable += i32::from(pole.re > 0.0);
        let step = fluid.step();
        // long enough for the other poles to die away, short enough to stay small
        let steps = (15.0 / pole.re.abs().max(0.3) / step) as usize;
        let little = if pole.re > 0.0 { 1e-10 } else { 1e-3 };
        let path = fluid.trajectory(Start::Disturbed(1.0 + little), step, steps).unwrap();
        let (rate, omega) = growth(&path, at.window, step);
        let scale = pole.modulus();
        assert!((rate - pole.re).abs() < 0.01 * scale, "{name}: {rate} for {pole:?}");
        assert!((omega - pole.im).abs() < 0.01 * scale, "{name}: {omega} for {pole:?}");
    }
    assert_eq!(unstable, 3);
}

/// How fast the swing of the window grows (per second), and its angular frequency (0 without a swing), in the second half.
fn growth(path: &[Instant], settled: f64, step: f64) -> (f64, f64) {
    let tail: Vec<f64> = path[path.len() / 2..].iter().map(|now| now.window - settled).collect();
    let peaks: Vec<(f64, f64)> = (1..tail.len() - 1)
        .filter(|&i| tail[i] > tail[i - 1] && tail[i] >= tail[i + 1])
        .map(|i| {
            // the top of the parabola through three points
            let (before, here, after) = (tail[i - 1], tail[i], tail[i + 1]);
            let shift = 0.5 * (before - after) / (before - 2.0 * here + after);
            ((i as f64 + shift) * step, here - 0.25 * (before - after) * shift)
        })
        .collect();
    if let ([first, .., last], count) = (&peaks[..], peaks.len()) {
        let time = last.0 - first.0;
        return ((last.1 / first.1).ln() / time, core::f64::consts::TAU * (count - 1) as f64 / time);
    }
    let (first, last) = (tail[0], tail[tail.len() - 1]);
    ((last / first).ln() / ((tail.len() - 1) as f64 * step), 0.0)
}

#[test]
fn the_border_of_flows_separates_what_dies_from_what_goes_on() {
    let red = Red { pole: 1.0, min_th: 50.0, max_th: 250.0, max_p: 0.1, gentle_top: None };
    let tcp = Tcp { flows: 1.0, propagation: 0.1, capacity: 2500.0, eta: 2.0 };
    let border = Fluid { tcp, law: &red }.border_flows(5.0, 100.0).unwrap();
    for (share, dies) in [(1.05, true), (0.95, false)] {
        let fluid = Fluid { tcp: Tcp { flows: share * border, ..tcp }, law: &red };
        let path = fluid.trajectory(Start::Disturbed(1.1), fluid.step(), 40_000).unwrap();
        let settled = fluid.equilibrium().unwrap().queue;
        let swing = |part: &[Instant]| part.iter().map(|now| (now.queue - settled).abs()).fold(0.0, f64::max);
        let (early, late) = (swing(&path[..4000]), swing(&path[36_000..]));
        assert_eq!(late < 0.01 * early, dies, "{border}: {early} and {late}");
    }
    assert_eq!(Fluid { tcp, law: &red }.border_flows(2.0 * border, 3.0 * border), None);
}

#[test]
fn a_square_makes_the_margin_nearly_the_same_at_all_loads() {
    // De Schepper et al.: dp / dp' = 2 p' makes up for TCP's gain, which goes as 1 / p'; PI's margin moves with the load
    let gains = pie_design::dualpi2(0.016, 0.1);
    let pi2 = Integral::pi2(&gains, 0.015, 2500.0);
    let pi = Integral { shape: Shape::Plain, ..pi2 };
    let spread = |law: &Integral| {
        let gains = [10.0, 20.0, 40.0].map(|flows| {
            let tcp = Tcp { flows, propagation: 0.05, capacity: 2500.0, eta: 2.0 };
            let fluid = Fluid { tcp, law };
            fluid.margins(&fluid.equilibrium().unwrap()).gain
        });
        gains[2] / gains[0]
    };
    assert!((0.5..2.0).contains(&spread(&pi2)) && spread(&pi) > 3.0, "{} and {}", spread(&pi2), spread(&pi));
}
