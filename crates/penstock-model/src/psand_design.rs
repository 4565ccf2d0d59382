//! The average queue at which PSAND settles: thesis, section 2.3, equations 2.1 and 2.2.

use penstock_core::math;

/// A* = KT coef^(-1 / gamma): the average queue in packets at which max_p does not change, with a target of `target`
/// packets. With a large `coef` it is so low that max_p reaches its upper bound instead. `coef` and `gamma` above 0.
pub fn equilibrium(target: f64, coef: f64, gamma: f64) -> f64 {
    target * math::pow(coef, -1.0 / gamma)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equilibria_are_those_of_the_appendix() {
        for (coef, gamma, wanted) in [(1.0, 1.0, 10.0), (1.75, 1.5, 6.886), (1.0, 0.25, 10.0), (2.0, 0.25, 0.625)] {
            let found = equilibrium(10.0, coef, gamma);
            assert!((found - wanted).abs() < 6e-4, "{found} for {wanted}");
            // equation 2.1 with the average unchanged: coef (A / KT)^gamma
            assert!((coef * (found / 10.0_f64).powf(gamma) - 1.0).abs() < 1e-12);
        }
    }
}
