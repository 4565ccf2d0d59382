//! Gains of controllers of the delay: PIE (R. Pan et al., RFC 8033, section 4.2) and DualPI2 (K. De Schepper, B.
//! Briscoe, G. White, RFC 9332, appendix A.1, figure 2). All have p += alpha (d - target) + beta (d - d_old) each
//! T_update.

/// Gains per second of delay, and the period for which they are designed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains {
    /// Gain on the distance of the delay from its target.
    pub alpha: f64,
    /// Gain on the change of the delay.
    pub beta: f64,
    /// T_update in seconds.
    pub t_update: f64,
}

/// PIE's defaults, for a target of 15 ms.
pub const PIE: Gains = Gains { alpha: 0.125, beta: 1.25, t_update: 0.015 };
/// The target for which [`PIE`] is designed, in seconds.
pub const PIE_TARGET: f64 = 0.015;

/// The same loop at another period: for any period, the rule of RFC 8033 that half the period halves alpha and adds
/// alpha / 4 to beta.
///
/// The continuous controller has the integral gain alpha / T and the proportional gain beta + alpha / 2 (the trapezoid
/// rule, as in [`crate::pi_design`]); both are kept.
pub fn at_period(gains: &Gains, t_update: f64) -> Gains {
    let alpha = gains.alpha * t_update / gains.t_update;
    Gains { alpha, beta: gains.beta + (gains.alpha - alpha) / 2.0, t_update }
}

/// PIE's gains for another target and period, both in seconds: RFC 8033 raises both by as much as the target is
/// lowered.
pub fn pie(target: f64, t_update: f64) -> Gains {
    let Gains { alpha, beta, .. } = at_period(&PIE, t_update);
    let scale = PIE_TARGET / target;
    Gains { alpha: alpha * scale, beta: beta * scale, t_update }
}

/// RFC 9332, line 12: T_update = min(target, RTT_max / 3), in seconds.
pub fn dualpi2_period(target: f64, rtt_max: f64) -> f64 {
    target.min(rtt_max / 3.0)
}

/// RFC 9332, lines 13 and 14: alpha = 0.1 T_update / RTT_max^2, beta = 0.3 / RTT_max, for round trips of at most
/// `rtt_max` seconds.
pub fn dualpi2(t_update: f64, rtt_max: f64) -> Gains {
    Gains { alpha: 0.1 * t_update / (rtt_max * rtt_max), beta: 0.3 / rtt_max, t_update }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_the_period_follows_the_rule_of_thumb() {
        let half = at_period(&PIE, 0.0075);
        assert!((half.alpha - 0.0625).abs() < 1e-15 && (half.beta - (1.25 + 0.125 / 4.0)).abs() < 1e-15);
        // there and back
        let back = at_period(&half, 0.015);
        assert!((back.alpha - PIE.alpha).abs() < 1e-15 && (back.beta - PIE.beta).abs() < 1e-15);
    }

    #[test]
    fn a_target_of_150_us_has_a_hundred_times_the_gains() {
        let fast = pie(0.000_15, 0.015);
        assert!((fast.alpha - 12.5).abs() < 1e-12 && (fast.beta - 125.0).abs() < 1e-12);
        assert_eq!(pie(0.015, 0.015), PIE);
    }

    #[test]
    fn dualpi2_has_the_gains_of_the_rfc() {
        assert_eq!((dualpi2_period(0.015, 0.1), dualpi2_period(0.05, 0.1)), (0.015, 0.1 / 3.0));
        // printed 0.16 for 16 ms, and 3.2, which the formula gives as 3.0
        let gains = dualpi2(0.016, 0.1);
        assert!((gains.alpha - 0.16).abs() < 1e-12 && (gains.beta - 3.0).abs() < 1e-12);
    }
}
