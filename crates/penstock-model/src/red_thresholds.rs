//! RED's thresholds from a target for the average queueing delay: S. Floyd, R. Gummadi, S. Shenker, "Adaptive RED", 2001,
//! section 4.4.

/// The target for the average queueing delay, in seconds.
pub const DELAY_TARGET: f64 = 0.005;

/// min_th = max(5, d C / 2) packets, for `capacity` packets per second and the target d of 5 ms. The average queue
/// should lie midway between the thresholds, at 2 min_th.
pub fn min_th(capacity: f64) -> f64 {
    (DELAY_TARGET * capacity / 2.0).max(5.0)
}

/// max_th = 3 min_th, in the unit of `min_th`.
pub fn max_th(min_th: f64) -> f64 {
    3.0 * min_th
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_average_midway_between_the_thresholds_waits_for_the_target() {
        for capacity in [2500.0, 12_500.0, 1e6] {
            let low = min_th(capacity);
            let midway = f64::midpoint(low, max_th(low));
            assert!((midway / capacity - DELAY_TARGET).abs() < 1e-12);
        }
        // Slower links keep five packets, as in ns-2's automatic form: 500 kb/s with packets of 1000 bytes.
        assert_eq!((min_th(62.5), max_th(min_th(62.5))), (5.0, 15.0));
        // The values for the thesis: 6.25 and 18.75 at 2500 packets per second.
        assert_eq!((min_th(2500.0), max_th(6.25)), (6.25, 18.75));
    }
}
