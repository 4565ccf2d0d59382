//! Stability margins of a feedback loop with a delay, by Nyquist's criterion, and the dominant pole.
//!
//! The open loop L has no poles to the right of the imaginary axis and at most one at 0, with a positive gain at low
//! frequencies: then the closed loop is stable if and only if L(i omega), 0 < omega, crosses the real axis to the left
//! of -1 as often upwards as downwards. This holds for TCP with all AQMs of [`crate::fluid`].

use crate::bisection;
use crate::complex::Complex;
use core::f64::consts::PI;
use penstock_core::math;

/// The margins of a loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margins {
    /// Whether the closed loop is stable.
    pub stable: bool,
    /// The factor on the loop's gain, nearest to 1 on a logarithmic scale, that brings the loop to the border of
    /// stability. It is above 1 in a stable loop, unless less gain would reach the border sooner; infinite if no factor
    /// does.
    pub gain: f64,
    /// The frequency at which this happens, in rad/s; NaN if there is none.
    pub gain_omega: f64,
    /// The further lag in radians, at the frequency where the gain is 1, that brings the loop to the border of
    /// stability; negative if the loop is unstable; NaN if the gain is 1 nowhere.
    pub phase: f64,
    /// The frequency at which this happens, in rad/s; NaN if there is none.
    pub phase_omega: f64,
}

/// Points per decade where the delay hardly turns the phase.
const A_DECADE: f64 = 100.0;
/// At higher frequencies: radians by which the delay turns the phase from point to point.
const TURN: f64 = 0.02;
/// The lowest and the highest frequency examined, times the delay.
const LOWEST: f64 = 1e-6;
const HIGHEST: f64 = 1e4;
/// After one full turn of the phase with gains below this, no further crossing matters.
const FAINT: f64 = 0.5;

/// The margins of the loop `open_loop`, of s in 1/s, whose delay is about `delay` seconds.
pub fn margins(open_loop: impl Fn(Complex) -> Complex, delay: f64) -> Margins {
    let at = |omega: f64| open_loop(Complex::new(0.0, omega));
    let mut found =
        Margins { stable: true, gain: f64::INFINITY, gain_omega: f64::NAN, phase: f64::NAN, phase_omega: f64::NAN };
    let (mut before, mut omega) = (LOWEST / delay, LOWEST / delay);
    let mut last = at(omega);
    let mut beyond = 0;
    while omega * delay < HIGHEST {
        omega *= 1.0 + (math::pow(10.0, 1.0 / A_DECADE) - 1.0).min(TURN / (omega * delay));
        let next = at(omega);
        if (last.modulus() < 1.0) != (next.modulus() < 1.0) {
            gain_is_one(&mut found, &at, before, omega);
        }
        if (last.im < 0.0) != (next.im < 0.0) && last.re < 0.0 && next.re < 0.0 {
            beyond += half_turn(&mut found, &at, before, omega);
        }
        if next.modulus() < FAINT && found.gain.is_finite() && omega * delay > 2.0 * PI {
            break;
        }
        (before, last) = (omega, next);
    }
    found.stable = beyond == 0;
    found.phase = if found.stable { found.phase.abs() } else { -found.phase.abs() };
    found
}

/// The gain passes 1 between two frequencies: records how far the phase is from half a turn there, if it is nearer than
/// before.
fn gain_is_one(found: &mut Margins, at: &impl Fn(f64) -> Complex, low: f64, high: f64) {
    if let Some(omega) = bisection::between(low, high, |omega| at(omega).modulus() - 1.0) {
        // the angle of -L: the difference to half a turn
        let missing = (-at(omega)).angle();
        if found.phase.is_nan() || missing.abs() < found.phase.abs() {
            (found.phase, found.phase_omega) = (missing, omega);
        }
    }
}

/// The phase passes half a turn between two frequencies: records the gain there, if it is nearer to 1 than before.
/// Returns the part of this crossing in Nyquist's count: 1 upwards and -1 downwards, to the left of -1.
fn half_turn(found: &mut Margins, at: &impl Fn(f64) -> Complex, low: f64, high: f64) -> i32 {
    let Some(omega) = bisection::between(low, high, |omega| at(omega).im) else { return 0 };
    let factor = 1.0 / at(omega).modulus();
    if math::ln(factor).abs() < math::ln(found.gain).abs() {
        (found.gain, found.gain_omega) = (factor, omega);
    }
    match factor < 1.0 {
        true if at(high).im > at(low).im => 1,
        true => -1,
        false => 0,
    }
}

/// The pole of the closed loop with the largest real part, a root of 1 + L(s): small disturbances evolve as e^(s t).
/// `None` if Newton's method finds none. Of two conjugate poles, the one with a positive imaginary part is returned.
pub fn dominant_pole(open_loop: impl Fn(Complex) -> Complex, delay: f64) -> Option<Complex> {
    const STARTS: i32 = 70;
    let mut found: Option<Complex> = None;
    for n in 0..STARTS {
        // from 1e-4 / delay to 1e3 / delay, on the imaginary and on the negative real axis
        let size = math::pow(10.0, f64::from(n) / 10.0 - 4.0) / delay;
        for start in [Complex::new(0.0, size), Complex::real(-size)] {
            let Some(pole) = newton(&open_loop, start) else { continue };
            if found.is_none_or(|best| pole.re > best.re) {
                found = Some(Complex::new(pole.re, pole.im.abs()));
            }
        }
    }
    found
}

/// A root of 1 + L(s), from a first guess.
fn newton(open_loop: &impl Fn(Complex) -> Complex, start: Complex) -> Option<Complex> {
    let value = |s: Complex| Complex::real(1.0) + open_loop(s);
    let mut s = start;
    for _ in 0..50 {
        let little = Complex::real(1e-6 * s.modulus());
        let slope = (value(s + little) - value(s - little)) / little.times(2.0);
        let step = value(s) / slope;
        s = s - step;
        if !(s.re.is_finite() && s.im.is_finite()) {
            return None;
        }
        if step.modulus() < 1e-11 * s.modulus() {
            return (value(s).modulus() < 1e-6).then_some(s);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f64::consts::FRAC_PI_2;

    /// K e^(-s r) / s: x' = -K x(t - r).
    fn pure(k: f64, r: f64) -> impl Fn(Complex) -> Complex {
        move |s| s.times(-r).exp().times(k) / s
    }

    #[test]
    fn an_integrator_with_a_delay_has_the_margins_of_the_textbook() {
        for (k, r) in [(1.0, 0.3), (5.0, 0.3), (0.01, 20.0), (7.0, 0.3)] {
            let found = margins(pure(k, r), r);
            assert!((found.phase - (FRAC_PI_2 - k * r)).abs() < 1e-9, "{found:?}");
            assert!((found.phase_omega / k - 1.0).abs() < 1e-9);
            assert!((found.gain / (FRAC_PI_2 / (k * r)) - 1.0).abs() < 1e-9, "{found:?}");
            assert!((found.gain_omega * r - FRAC_PI_2).abs() < 1e-9);
            assert_eq!(found.stable, k * r < FRAC_PI_2);
        }
    }

    #[test]
    fn poles_of_an_integrator_with_a_delay_are_lamberts() {
        // on the border i pi / (2 r); at K r = 1 / e a double root at -1 / r; at K r = 0.2 the real branch of W
        let pole = dominant_pole(pure(FRAC_PI_2 / 0.3, 0.3), 0.3).unwrap();
        assert!(pole.re.abs() < 1e-8 && (pole.im * 0.3 - FRAC_PI_2).abs() < 1e-8);
        let pole = dominant_pole(pure(0.2 / 0.3, 0.3), 0.3).unwrap();
        let mut w = -0.2_f64;
        for _ in 0..200 {
            w = -0.2 * (-w).exp();
        }
        assert!((pole.re * 0.3 - w).abs() < 1e-8 && pole.im.abs() < 1e-8, "{pole:?} for {w}");
        // without a delay: s^2 + s + 25 = 0
        let spring = |s: Complex| Complex::real(25.0) / (s * s + s);
        let pole = dominant_pole(spring, 1.0).unwrap();
        assert!((pole.re + 0.5).abs() < 1e-8 && (pole.im - 24.75_f64.sqrt()).abs() < 1e-8, "{pole:?}");
    }

    #[test]
    fn a_loop_that_less_gain_makes_unstable_is_counted_right() {
        // L = k (1 + 2 s)^2 / (s (1 + 20 s)^2 (1 + 0.01 s)^2): the phase passes half a turn down, up and down again, so
        // that the loop is stable for little gain, unstable for more, stable for much and unstable for very much.
        // On the imaginary axis: where 2 atan 2 w - 2 atan 20 w - 2 atan 0.01 w = -90 degrees, the gain is 1 / |L / k|.
        let open_loop = |k: f64| {
            move |s: Complex| {
                let square = |time: f64| (Complex::real(1.0) + s.times(time)) * (Complex::real(1.0) + s.times(time));
                square(2.0).times(k) / (s * square(20.0) * square(0.01))
            }
        };
        let lag = |w: f64| 2.0 * ((20.0 * w).atan() + (0.01 * w).atan() - (2.0 * w).atan()) - FRAC_PI_2;
        let border = |low: f64, high: f64| {
            let w = bisection::between(low, high, lag).unwrap();
            w * (1.0 + 400.0 * w * w) * (1.0 + 1e-4 * w * w) / (1.0 + 4.0 * w * w)
        };
        let borders = [border(0.01, 0.15), border(0.16, 3.0), border(3.0, 1e4)];
        for (n, factor) in [0.9, 1.1].into_iter().flat_map(|f| [(0, f), (1, f), (2, f)]) {
            let found = margins(open_loop(borders[n] * factor), 1.0);
            let stable = (n == 1) == (factor > 1.0);
            assert_eq!(found.stable, stable, "{n}, {factor}: {found:?}");
            assert!((found.gain * factor - 1.0).abs() < 1e-6, "{n}, {factor}: {found:?}");
            assert_eq!(dominant_pole(open_loop(borders[n] * factor), 1.0).unwrap().re < 0.0, stable);
        }
    }
}
