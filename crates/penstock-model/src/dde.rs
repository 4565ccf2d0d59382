//! Delay differential equations y' = f(y, y(t - r)), whose delays may depend on the state.
//!
//! Runge and Kutta's method of order 4 with a fixed step; the past between two steps is the cubic through both states
//! and slopes, of order 4 too. If the delays are whole numbers of steps the method has order 4; otherwise the
//! discontinuities of higher derivatives at the start reduce the order by one or two during the first few delays.

use alloc::vec::Vec;

/// The right side of the equations in D unknowns.
pub trait System<const D: usize> {
    /// y' in the state `now`. Delays passed to `past` must not be shorter than the step.
    fn derivative(&self, now: &[f64; D], past: &Past<'_, D>) -> [f64; D];

    /// Puts a state back within its bounds, after each step.
    fn limit(&self, _now: &mut [f64; D]) {}
}

/// A state and its slope.
type Node<const D: usize> = ([f64; D], [f64; D]);

/// The past states, before the instant at which the right side is evaluated.
pub struct Past<'a, const D: usize> {
    nodes: &'a [Node<D>],
    /// The instant, in steps since the start.
    now: f64,
    step: f64,
}

impl<const D: usize> Past<'_, D> {
    /// The state `delay` seconds ago; before the start, it is the initial state.
    pub fn at(&self, delay: f64) -> [f64; D] {
        let instant = self.now - delay / self.step;
        if instant <= 0.0 || self.nodes.len() < 2 {
            return self.nodes[0].0;
        }
        let first = (instant as usize).min(self.nodes.len() - 2);
        let (t, (y0, s0), (y1, s1)) = (instant - first as f64, &self.nodes[first], &self.nodes[first + 1]);
        let u = 1.0 - t;
        let (of_y0, of_y1) = (u * u * (1.0 + 2.0 * t), t * t * (1.0 + 2.0 * u));
        let (of_s0, of_s1) = (self.step * t * u * u, -self.step * t * t * u);
        core::array::from_fn(|i| of_y0 * y0[i] + of_y1 * y1[i] + of_s0 * s0[i] + of_s1 * s1[i])
    }
}

/// The states at the times 0, `step`, 2 `step`, ..., `steps` of them after the first, which is `start`. `step` is in
/// the unit of the system's time, above 0 and at most the shortest delay.
pub fn solve<const D: usize>(system: &impl System<D>, start: [f64; D], step: f64, steps: usize) -> Vec<[f64; D]> {
    let mut nodes: Vec<Node<D>> = Vec::with_capacity(steps + 1);
    nodes.push((start, [0.0; D]));
    nodes[0].1 = system.derivative(&start, &Past { nodes: &nodes, now: 0.0, step });
    for n in 0..steps {
        let past = |part: f64| Past { nodes: &nodes, now: n as f64 + part, step };
        let (y, k1) = nodes[n];
        let after = |part: f64, slope: &[f64; D]| core::array::from_fn(|i| y[i] + part * step * slope[i]);
        let k2 = system.derivative(&after(0.5, &k1), &past(0.5));
        let k3 = system.derivative(&after(0.5, &k2), &past(0.5));
        let k4 = system.derivative(&after(1.0, &k3), &past(1.0));
        let mut next = core::array::from_fn(|i| y[i] + step / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
        system.limit(&mut next);
        let slope = system.derivative(&next, &past(1.0));
        nodes.push((next, slope));
    }
    nodes.into_iter().map(|(state, _)| state).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x' = -x(t - r), with x = 1 up to t = 0.
    struct Pure {
        delay: f64,
    }

    impl System<1> for Pure {
        fn derivative(&self, _now: &[f64; 1], past: &Past<'_, 1>) -> [f64; 1] {
            [-past.at(self.delay)[0]]
        }
    }

    fn pure(delay: f64, step: f64, end: f64) -> Vec<f64> {
        solve(&Pure { delay }, [1.0], step, (end / step).round() as usize).into_iter().map(|[x]| x).collect()
    }

    /// The method of steps, by hand: x(t) = sum of (-1)^k (t - (k - 1) r)^k / k! over the k with (k - 1) r <= t.
    fn exact(t: f64, delay: f64) -> f64 {
        let (mut sum, mut factorial, mut k) = (1.0, 1.0, 1);
        while f64::from(k - 1) * delay <= t {
            factorial *= -f64::from(k);
            sum += (t - f64::from(k - 1) * delay).powi(k) / factorial;
            k += 1;
        }
        sum
    }

    #[test]
    fn a_pure_delay_follows_the_exact_polynomials_with_order_four() {
        let error = |step: f64| {
            let found = pure(1.0, step, 12.0);
            found.iter().enumerate().map(|(n, x)| (x - exact(n as f64 * step, 1.0)).abs()).fold(0.0, f64::max)
        };
        let errors = [error(0.1), error(0.05), error(0.025)];
        assert!(errors[2] < 2e-8, "{errors:?}");
        for pair in errors.windows(2) {
            assert!((3.7..4.3).contains(&(pair[0] / pair[1]).log2()), "{errors:?}");
        }
    }

    #[test]
    fn delays_between_the_steps_cost_little() {
        let found = pure(1.0, 0.03, 12.0);
        let worst = found.iter().enumerate().map(|(n, x)| (x - exact(n as f64 * 0.03, 1.0)).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-5, "{worst}");
    }

    #[test]
    fn a_pure_delay_is_stable_below_a_quarter_turn() {
        let largest = |delay: f64, from: f64, to: f64| {
            let found = pure(delay, delay / 20.0, to);
            found[(from / (delay / 20.0)) as usize..].iter().fold(0.0, |most: f64, x| most.max(x.abs()))
        };
        let quarter = core::f64::consts::FRAC_PI_2;
        for (delay, grows) in [(0.97 * quarter, false), (1.03 * quarter, true)] {
            let (early, late) = (largest(delay, 100.0, 110.0), largest(delay, 200.0, 210.0));
            assert_eq!(late > early, grows, "{delay}: {early} and then {late}");
        }
        // at the border of stability x continues as cos t: s = i solves s + exp(-s pi / 2) = 0
        let (early, late) = (largest(quarter, 100.0, 110.0), largest(quarter, 200.0, 210.0));
        assert!((late / early - 1.0).abs() < 1e-3);
    }

    #[test]
    fn without_a_delay_it_is_the_method_of_runge_and_kutta() {
        struct Decay;
        impl System<1> for Decay {
            fn derivative(&self, now: &[f64; 1], _past: &Past<'_, 1>) -> [f64; 1] {
                [-now[0]]
            }
        }
        let found = solve(&Decay, [1.0], 0.5, 4)[4][0];
        assert!((found - (1.0_f64 - 0.5 + 0.125 - 1.0 / 48.0 + 1.0 / 384.0).powi(4)).abs() < 1e-15);
    }

    #[test]
    fn a_delay_that_depends_on_the_state_is_followed() {
        // y' = -(y(t - r) - y) / r with r = 1 + y^2: on the line y = 1 - t the difference is r, so that y stays on it
        struct Varying;
        impl System<1> for Varying {
            fn derivative(&self, now: &[f64; 1], past: &Past<'_, 1>) -> [f64; 1] {
                let delay = 1.0 + now[0] * now[0];
                let back = past.at(delay)[0];
                if back < 1.0 { [-(back - now[0]) / delay] } else { [-1.0] }
            }
        }
        let found = solve(&Varying, [1.0], 0.1, 40);
        for (n, [y]) in found.iter().enumerate() {
            assert!((y - (1.0 - 0.1 * n as f64)).abs() < 1e-12, "{n}: {y}");
        }
    }

    #[test]
    fn a_limit_holds_after_each_step() {
        struct Falling;
        impl System<1> for Falling {
            fn derivative(&self, _now: &[f64; 1], _past: &Past<'_, 1>) -> [f64; 1] {
                [-1.0]
            }
            fn limit(&self, now: &mut [f64; 1]) {
                now[0] = now[0].max(0.0);
            }
        }
        let found = solve(&Falling, [0.25], 0.1, 5);
        assert!(found.iter().all(|[y]| *y >= 0.0) && found[5][0] == 0.0);
    }
}
