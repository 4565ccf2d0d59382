//! Responsiveness under load in round trips per minute (RPM): draft-ietf-ippm-responsiveness-09 (editors' copy of July 2026).

use alloc::vec::Vec;

/// Trimmed mean: the mean of the samples up to their 95th percentile (TM of the draft); `None` without samples.
pub fn trimmed_mean(samples: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut samples: Vec<f64> = samples.into_iter().collect();
    samples.sort_by(f64::total_cmp);
    let kept = (samples.len() * 95).div_ceil(100);
    (kept > 0).then(|| samples[..kept].iter().sum::<f64>() / kept as f64)
}

/// Round trips per minute if a round trip takes `seconds` on average.
pub fn per_minute(seconds: f64) -> f64 {
    60.0 / seconds
}

/// The RPM from its two parts: the RPM of new connections (probes), and the RPM of the connections that carry the load.
pub fn rpm(foreign: f64, loaded: f64) -> f64 {
    f64::midpoint(foreign, loaded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_twentieth_does_not_count() {
        let samples = [0.02; 19].into_iter().chain([1.0]);
        assert!((trimmed_mean(samples).unwrap() - 0.02).abs() < 1e-12);
        assert_eq!(trimmed_mean([]), None);
        assert_eq!(trimmed_mean([0.04]), Some(0.04));
    }

    #[test]
    fn foreign_and_loaded_trips_have_equal_weights() {
        let foreign = per_minute((0.040 + 0.050 + 0.060) / 3.0);
        let loaded = per_minute(0.1);
        assert!((foreign - 1200.0).abs() < 1e-9 && (loaded - 600.0).abs() < 1e-9);
        assert!((rpm(foreign, loaded) - 900.0).abs() < 1e-9);
        assert!((rpm(per_minute(0.02), per_minute(0.02)) - 3000.0).abs() < 1e-9);
    }
}
