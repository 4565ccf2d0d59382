//! The quantile of the normal distribution.
#![expect(clippy::excessive_precision, clippy::unreadable_literal, reason = "the digits are those printed in AS 241")]

use crate::math::{ln, sqrt};

/// The quantile of the standard normal distribution, for 0 < `p` < 1, with a relative error of about 1e-16.
///
/// Algorithm AS 241, routine PPND16: M. J. Wichura, "The Percentage Points of the Normal Distribution", Applied Statistics 37,
/// 1988.
pub fn quantile(p: f64) -> f64 {
    let ratio = |x: f64, above: &[f64; 8], below: &[f64; 8]| {
        let polynomial = |coefficients: &[f64; 8]| coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c);
        polynomial(above) / polynomial(below)
    };
    let q = p - 0.5;
    if (-0.425..=0.425).contains(&q) {
        return q * ratio(0.180625 - q * q, &CENTRE.0, &CENTRE.1);
    }
    let r = sqrt(-ln(if q < 0.0 { p } else { 1.0 - p }));
    let value = if r <= 5.0 { ratio(r - 1.6, &FLANK.0, &FLANK.1) } else { ratio(r - 5.0, &TAIL.0, &TAIL.1) };
    if q < 0.0 { -value } else { value }
}

/// Coefficients of a rational function, in rising powers: numerator and denominator.
type Rational = ([f64; 8], [f64; 8]);

const CENTRE: Rational = (
    [
        3.3871328727963666080e0,
        1.3314166789178437745e2,
        1.9715909503065514427e3,
        1.3731693765509461125e4,
        4.5921953931549871457e4,
        6.7265770927008700853e4,
        3.3430575583588128105e4,
        2.5090809287301226727e3,
    ],
    [
        1.0,
        4.2313330701600911252e1,
        6.8718700749205790830e2,
        5.3941960214247511077e3,
        2.1213794301586595867e4,
        3.9307895800092710610e4,
        2.8729085735721942674e4,
        5.2264952788528545610e3,
    ],
);
const FLANK: Rational = (
    [
        1.42343711074968357734e0,
        4.63033784615654529590e0,
        5.76949722146069140550e0,
        3.64784832476320460504e0,
        1.27045825245236838258e0,
        2.41780725177450611770e-1,
        2.27238449892691845833e-2,
        7.74545014278341407640e-4,
    ],
    [
        1.0,
        2.05319162663775882187e0,
        1.67638483018380384940e0,
        6.89767334985100004550e-1,
        1.48103976427480074590e-1,
        1.51986665636164571966e-2,
        5.47593808499534494600e-4,
        1.05075007164441684324e-9,
    ],
);
const TAIL: Rational = (
    [
        6.65790464350110377720e0,
        5.46378491116411436990e0,
        1.78482653991729133580e0,
        2.96560571828504891230e-1,
        2.65321895265761230930e-2,
        1.24266094738807843860e-3,
        2.71155556874348757815e-5,
        2.01033439929228813265e-7,
    ],
    [
        1.0,
        5.99832206555887937690e-1,
        1.36929880922735805310e-1,
        1.48753612908506148525e-2,
        7.86869131145613259100e-4,
        1.84631831751005468180e-5,
        1.42151175831644588870e-7,
        2.04426310338993978564e-15,
    ],
);

#[cfg(test)]
mod tests {
    use super::*;

    /// Compared with the definition: 1/2 erfc(-x / sqrt(2)) = p, with the error function of `libm`.
    #[test]
    fn the_quantile_inverts_the_distribution() {
        for p in [1e-12, 1e-6, 0.001, 0.02, 0.0749, 0.0751, 0.2, 0.5, 0.7, 0.95, 0.999, 1.0 - 1e-9] {
            let back = 0.5 * libm::erfc(-quantile(p) / core::f64::consts::SQRT_2);
            assert!((back / p - 1.0).abs() < 1e-13, "{p}: {back}");
        }
    }
}
