//! Maximum speed of BLUE's probability: thesis, section 1.2.1.2, after W. Feng, D. Kandlur, D. Saha, K. Shin, "BLUE: A
//! New Class of Active Queue Management Algorithms", 1999.

/// Maximum rise of p per second: d1 / freeze_time, with the time in seconds.
pub fn steepest_rise(d1: f64, freeze: f64) -> f64 {
    d1 / freeze
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ramp_is_that_of_the_appendix() {
        assert!((steepest_rise(0.0025, 0.241) - 0.010_37).abs() < 5e-6);
        // 33.7 s from 0 to 0.35
        assert!((0.35 / steepest_rise(0.0025, 0.241) - 33.7).abs() < 0.05);
    }
}
