//! The fluid model against the forms it must agree with, and against a second, plain integration of its equations.

use penstock_model::complex::Complex;
use penstock_model::fluid::avq::Avq;
use penstock_model::fluid::integral::Integral;
use penstock_model::fluid::lred::{self, Lred};
use penstock_model::fluid::psand::Psand;
use penstock_model::fluid::red::{self, Red};
use penstock_model::fluid::{Continuous, Equilibrium, Fluid, Signal, Start, Tcp};
use penstock_model::queue_law::{self, Balance, QueueLaw, Windows};
use penstock_model::{Plant, pi_design, pie_design, psand_design, sqrt_law};

const C: f64 = 2500.0;

fn tcp(flows: f64, propagation: f64) -> Tcp {
    Tcp { flows, propagation, capacity: C, eta: 2.0 }
}

fn red() -> Red {
    Red { pole: red::pole(0.0004, C), min_th: 50.0, max_th: 250.0, max_p: 0.1, gentle_top: None }
}

fn gentle() -> Red {
    Red { gentle_top: Some(500.0), ..red() }
}

fn pi() -> Integral {
    let gains = pi_design::gains(&Plant { flows: 40.0, rtt: 0.2, capacity: C }, 170.0);
    Integral::pi(gains.a, gains.b, 170.0, 150.0)
}

fn psand() -> Psand {
    Psand { red: gentle(), target: 150.0, coef: 0.9, gamma: 0.5, interval: 0.5, max_p: (0.01, 0.75) }
}

/// Each law with a number of flows, at a round trip of 0.1 s, for which it is stable.
fn laws() -> Vec<(&'static str, Box<dyn Continuous>, f64)> {
    let rem = Integral::rem(0.001, 0.1, 1.001, 0.01, 150.0);
    let pie = Integral::pie(&pie_design::PIE, 0.02, C);
    let pi2 = Integral::pi2(&pie_design::dualpi2(0.016, 0.1), 0.015, C);
    vec![
        ("red", Box::new(red()), 60.0),
        ("gentle red", Box::new(gentle()), 250.0),
        ("pi", Box::new(pi()), 60.0),
        ("rem", Box::new(rem), 60.0),
        ("pie", Box::new(pie), 60.0),
        ("pi2", Box::new(pi2), 60.0),
        ("avq", Box::new(Avq { alpha: 0.3, gamma: 0.95, capacity: C }), 150.0),
        ("lred", Box::new(Lred { beta: 0.002, target: 150.0, tau: lred::lag(0.2, 4.0, 0.1) }), 60.0),
        ("psand", Box::new(psand()), 60.0),
        ("psand at its bound", Box::new(Psand { max_p: (0.01, 0.05), ..psand() }), 60.0),
    ]
}

#[test]
fn equilibria_are_where_nothing_moves() {
    for (name, law, flows) in laws() {
        let fluid = Fluid { tcp: tcp(flows, 0.1), law: &*law };
        let Equilibrium { window, queue, probability, rtt, rate, state } = fluid.equilibrium().expect(name);
        let signal = Signal { queue, slope: 0.0, rate };
        assert!((law.probability(&state, &signal) / probability - 1.0).abs() < 1e-9, "{name}");
        for (slope, scale) in law.derivative(&state, &signal).into_iter().zip(state) {
            assert!(slope.abs() < 1e-9 * (1.0 + scale.abs()), "{name}: {slope}");
        }
        assert!((window * window * probability / 2.0 - 1.0).abs() < 1e-12, "{name}");
        assert!((flows * window / rtt / rate - 1.0).abs() < 1e-12 && (rtt - 0.1 - queue / C).abs() < 1e-12, "{name}");
    }
}

#[test]
fn red_settles_where_the_square_root_law_and_the_queue_law_cross_it() {
    for (flows, law) in [(30.0, red()), (60.0, red()), (250.0, gentle())] {
        let tcp = Tcp { eta: 1.5, ..tcp(flows, 0.1) };
        let found = Fluid { tcp, law: &law }.equilibrium().unwrap();
        // the queue is what N windows of the square-root law leave over in the pipe
        let queue = flows * sqrt_law::window(found.probability, 1.0) - C * 0.1;
        assert!((found.queue - queue).abs() < 1e-6, "N = {flows}");
        let control = |q: f64| queue_law::red(q, law.min_th, law.max_th, law.max_p, law.gentle_top);
        assert!((control(found.queue) / found.probability - 1.0).abs() < 1e-9);
        // Chung and Claypool's law has Padhye's window, which is smaller by a term of the order of one packet
        let paper = QueueLaw {
            rtld: 0.1,
            service_rate: C,
            b: 1.0,
            window_limit: f64::INFINITY,
            signal: queue_law::Signal::Mark,
            windows: Windows::WithoutTimeouts,
            balance: Balance::Exact,
        };
        let crossing = paper.crossing(flows, control, 500.0).unwrap();
        assert!((crossing.queue / found.queue - 1.0).abs() < 0.12, "{} and {}", crossing.queue, found.queue);
    }
    // 1000 flows want more than max_p, and a strict RED has no more
    assert_eq!(Fluid { tcp: tcp(1000.0, 0.1), law: &red() }.equilibrium(), None);
}

#[test]
fn controllers_hold_their_target_and_psand_its_own() {
    for law in [pi(), Integral::rem(0.001, 0.1, 1.001, 0.01, 150.0)] {
        let found = Fluid { tcp: tcp(60.0, 0.1), law: &law }.equilibrium().unwrap();
        assert_eq!(found.queue, 150.0);
        // W = R C / N = 0.16 * 2500 / 60, p = 2 / W^2
        assert!((found.window - 400.0 / 60.0).abs() < 1e-12 && (found.probability - 0.045).abs() < 1e-12);
    }
    let found = Fluid { tcp: tcp(60.0, 0.1), law: &psand() }.equilibrium().unwrap();
    assert!((found.queue - psand_design::equilibrium(150.0, 0.9, 0.5)).abs() < 1e-9);
    // 500 flows want p above 1 at any queue
    assert_eq!(Fluid { tcp: tcp(500.0, 0.1), law: &pi() }.equilibrium(), None);
}

#[test]
fn the_gains_of_the_discrete_controllers_are_kept() {
    // pi_design starts from K_PI (s / omega_g + 1) / s
    let gains = pi_design::gains(&Plant { flows: 40.0, rtt: 0.2, capacity: C }, 170.0);
    assert!((pi().k_i / gains.k_pi - 1.0).abs() < 1e-9 && (pi().k_p * gains.omega_g / gains.k_pi - 1.0).abs() < 1e-9);
    // a ramp of one packet a second for 10 s, by the recurrence of REM: gamma (K - (1 - alpha) Kp - alpha KT)
    let (gamma, alpha, interval) = (0.001, 0.1, 0.01);
    let (mut price, mut q) = (0.0, 0.0);
    for _ in 0..1000 {
        let next = q + interval;
        price += gamma * (next - (1.0 - alpha) * q);
        q = next;
    }
    let rem = Integral::rem(gamma, alpha, 1.1, interval, 0.0);
    assert!((rem.k_i * 50.0 + rem.k_p * 10.0 - price).abs() < 1e-9 * price, "{price}");
    // the same for PIE's delay, in seconds: alpha d + beta (d - d_old) with d rising by 1 ms a second
    let (mut p, mut d) = (0.0, 0.0);
    for _ in 0..1000 {
        let next = d + 0.001 * 0.015;
        p += 0.125 * next + 1.25 * (next - d);
        d = next;
    }
    let pie = Integral::pie(&pie_design::PIE, 0.0, C);
    let packets = 0.001 * C;
    assert!((pie.k_i * packets * 112.5 + pie.k_p * packets * 15.0 - p).abs() < 1e-9, "{p}");
}

/// The response of a law by differences of its own continuous form: (s - A)^-1 B and the direct part.
fn by_differences(law: &dyn Continuous, s: Complex, at: &Equilibrium) -> (Complex, Complex) {
    let base = [at.state[0], at.state[1], at.queue, 0.0, at.rate];
    let split = |&[first, second, queue, slope, rate]: &[f64; 5]| ([first, second], Signal { queue, slope, rate });
    let slope = |of: &dyn Fn(&[f64; 5]) -> f64, column: usize| {
        let little = 1e-6 * (base[column].abs() + 1e-3);
        let moved = |by: f64| {
            let mut point = base;
            point[column] += by;
            of(&point)
        };
        (moved(little) - moved(-little)) / (2.0 * little)
    };
    let moves = |row: usize| move |point: &[f64; 5]| law.derivative(&split(point).0, &split(point).1)[row];
    let p = |point: &[f64; 5]| law.probability(&split(point).0, &split(point).1);
    let real = Complex::real;
    let entry = |row: usize, column: usize| real(slope(&moves(row), column));
    // the state per unit of the queue (whose slope is s times it) and of the rate
    let solve = |input: [Complex; 2]| {
        let [[one, other], [back, own]] = [[s - entry(0, 0), -entry(0, 1)], [-entry(1, 0), s - entry(1, 1)]];
        let determinant = one * own - other * back;
        let state =
            [(own * input[0] - other * input[1]) / determinant, (one * input[1] - back * input[0]) / determinant];
        state[0] * real(slope(&p, 0)) + state[1] * real(slope(&p, 1))
    };
    let of_queue = solve([0, 1].map(|row| entry(row, 2) + s * entry(row, 3)));
    let of_rate = solve([0, 1].map(|row| entry(row, 4)));
    (of_queue + real(slope(&p, 2)) + s * real(slope(&p, 3)), of_rate + real(slope(&p, 4)))
}

#[test]
fn responses_are_the_slopes_of_the_continuous_forms() {
    for (name, law, flows) in laws() {
        let at = Fluid { tcp: tcp(flows, 0.1), law: &*law }.equilibrium().expect(name);
        for s in [Complex::new(0.0, 0.1), Complex::new(0.0, 3.0), Complex::new(-0.4, 11.0)] {
            let (found, wanted) = (law.response(s, &at), by_differences(&*law, s, &at));
            for (found, wanted) in [(found.0, wanted.0), (found.1, wanted.1)] {
                let scale = wanted.modulus().max(1e-7);
                assert!((found - wanted).modulus() < 1e-4 * scale, "{name} at {s:?}: {found:?} for {wanted:?}");
            }
        }
    }
}

#[test]
fn trajectories_from_rest_settle_in_the_equilibrium() {
    for (name, law, flows) in laws() {
        let fluid = Fluid { tcp: tcp(flows, 0.1), law: &*law };
        let end = *fluid.trajectory(Start::Rest, fluid.step(), 60_000).unwrap().last().unwrap();
        let wanted = fluid.equilibrium().unwrap();
        assert!((end.window / wanted.window - 1.0).abs() < 1e-3, "{name}: W = {} for {}", end.window, wanted.window);
        assert!((end.queue - wanted.queue).abs() < 1e-3 * C * 0.1, "{name}: q = {} for {}", end.queue, wanted.queue);
        assert!((end.probability / wanted.probability - 1.0).abs() < 3e-3, "{name}");
    }
}

/// Misra, Gong and Towsley's equations with RED by Euler's method, the past read off the last step.
fn euler(tcp: &Tcp, law: &Red, step: f64, steps: usize) -> Vec<[f64; 3]> {
    let mut past = vec![[1.0, 0.0, 0.0]];
    for n in 0..steps {
        let [w, q, avg] = past[n];
        let r = q / tcp.capacity + tcp.propagation;
        let [w_then, q_then, avg_then] = past[n.saturating_sub((r / step).round() as usize)];
        let r_then = q_then / tcp.capacity + tcp.propagation;
        let p = queue_law::red(avg_then, law.min_th, law.max_th, law.max_p, law.gentle_top);
        past.push([
            w + step * (1.0 / r - w * w_then * p / (tcp.eta * r_then)),
            (q + step * (tcp.flows * w / r - tcp.capacity)).max(0.0),
            avg + step * law.pole * (q - avg),
        ]);
    }
    past
}

#[test]
fn trajectories_are_those_of_a_plain_integration() {
    let (tcp, law) = (tcp(40.0, 0.1), gentle());
    let fluid = Fluid { tcp, law: &law };
    let found = fluid.trajectory(Start::Rest, fluid.step(), 6000).unwrap();
    let fine = fluid.step() / 200.0;
    let plain = euler(&tcp, &law, fine, 6000 * 200);
    let mut largest: f64 = 0.0;
    let settled = fluid.equilibrium().unwrap().queue;
    for (n, now) in found.iter().enumerate() {
        let [_, q, _] = plain[200 * n];
        assert!((now.queue - q).abs() < 0.6, "{} s: {} for {q}", fluid.step() * n as f64, now.queue);
        largest = largest.max(q);
    }
    assert!(largest > 1.5 * settled, "a quiet trajectory says little: {largest}, {settled}");
}

#[test]
fn the_usual_step_is_fine_enough() {
    // about the equilibrium, where no bound is met; the order of the method itself is tested where it stands
    let law = pi();
    let fluid = Fluid { tcp: tcp(60.0, 0.1), law: &law };
    let at_end = |part: usize| {
        let step = fluid.step() / part as f64;
        let found = fluid.trajectory(Start::Disturbed(1.05), step, 1000 * part).unwrap();
        found.iter().step_by(part).map(|now| now.queue).collect::<Vec<_>>()
    };
    let runs = [1, 2, 4, 16].map(at_end);
    let error = |n: usize| runs[n].iter().zip(&runs[3]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(error(0) < 1e-4 * 150.0, "{}", error(0));
    assert!(error(2) < error(0) / 8.0, "{} and {}", error(0), error(2));
}
