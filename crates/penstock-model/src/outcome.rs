//! Quality of Outcome (QoO) of a network for an application: draft-ietf-ippm-qoo (editors' copy of 19 May 2026).

/// A requirement of an application. Between the two values, users notice the network; from the unacceptable value on,
/// they give up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The application works perfectly up to this value (ROP, requirements for optimal performance).
    pub optimal: f64,
    /// The application is useless from this value on (CPUP, conditions at the point of unacceptable performance).
    pub unacceptable: f64,
}

impl Range {
    /// 1 at the optimal value or better, 0 at the unacceptable value or worse, and linear in between.
    pub fn score(self, measured: f64) -> f64 {
        (1.0 - (measured - self.optimal) / (self.unacceptable - self.optimal)).clamp(0.0, 1.0)
    }
}

/// The QoO from 0 to 100: the lowest score of all `parts`. A part is a measured value, a delay at a percentile or the
/// share of lost packets, with its range. The QoO is 0 if the throughput is below the minimum.
pub fn quality_of_outcome(parts: impl IntoIterator<Item = (f64, Range)>, has_throughput: bool) -> f64 {
    if !has_throughput {
        return 0.0;
    }
    100.0 * parts.into_iter().map(|(measured, range)| range.score(measured)).fold(1.0, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(optimal: f64, unacceptable: f64) -> Range {
        Range { optimal, unacceptable }
    }

    #[test]
    fn the_worst_part_decides() {
        let parts = [(0.350, range(0.2, 0.5)), (0.375, range(0.3, 0.6)), (0.02, range(0.01, 0.05))];
        let scores = parts.map(|(measured, range)| range.score(measured));
        assert!(scores.iter().zip([0.5, 0.75, 0.75]).all(|(score, printed)| (score - printed).abs() < 1e-12));
        assert!((quality_of_outcome(parts, 28e6 >= 4e6) - 50.0).abs() < 1e-9);
        assert_eq!(quality_of_outcome(parts, 3e6 >= 4e6), 0.0);
    }

    #[test]
    fn the_example_of_the_older_draft() {
        let parts = [(0.350, range(0.25, 0.4)), (0.352, range(0.35, 0.401)), (0.005, range(0.001, 0.01))];
        assert!((quality_of_outcome(parts, true) - 33.3).abs() < 0.05);
    }

    #[test]
    fn a_network_as_good_as_asked_scores_100_and_one_beyond_the_end_0() {
        assert_eq!(quality_of_outcome([(0.1, range(0.2, 0.5))], true), 100.0);
        assert_eq!(quality_of_outcome([(0.1, range(0.2, 0.5)), (0.7, range(0.2, 0.5))], true), 0.0);
    }
}
