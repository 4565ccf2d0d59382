//! RED's drop function: the initial marking probability p_b as a function of the average queue.

penstock_core::choice! {
    /// Where the gentle ramp starts while max_p moves.
    pub enum GentleFrom {
        /// At the initial max_p, as in ns-2.
        First = "first",
        /// At the current max_p.
        Current = "current",
    }
}

/// The end of the gentle ramp, where every packet is dropped.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RampEnd {
    /// No ramp: at max_th.
    MaxTh,
    /// At twice max_th, also when max_th moves.
    TwiceMaxTh,
    /// At this average.
    At(f64),
}

impl RampEnd {
    fn top(self, max_th: f64) -> f64 {
        match self {
            Self::MaxTh => max_th,
            Self::TwiceMaxTh => 2.0 * max_th,
            Self::At(top) => top,
        }
    }
}

/// A range of the average over which the probability rises from 0 to a height.
#[derive(Clone, Copy, Debug)]
struct Rise {
    from: f64,
    /// 1 / length
    slope: f64,
    /// NLRED's parabola instead of a line.
    is_parabola: bool,
}

impl Rise {
    fn between(from: f64, to: f64) -> Self {
        Self { from, slope: 1.0 / (to - from), is_parabola: false }
    }

    /// The line, or the parabola with the same mean over the range.
    #[inline]
    fn at(self, avg: f64, height: f64) -> f64 {
        if self.is_parabola {
            let share = (avg - self.from) * self.slope;
            return 1.5 * height * share * share;
        }
        height * (avg - self.from) * self.slope
    }
}

/// The drop function. An adaptive AQM that owns a RED replaces it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DropCurve {
    /// p_b is 0 below this average.
    pub(crate) min_th: f64,
    pub(crate) max_th: f64,
    /// p_b is 1 from this average on.
    pub(crate) top: f64,
    /// p_b just below max_th; with NLRED, two thirds of that p_b. An adaptive AQM may raise it above 1; p_b stays at 1.
    pub(crate) max_p: f64,
    /// p_b at max_th, where the gentle ramp starts.
    ramp: f64,
    end: RampEnd,
    below_max_th: Rise,
    above_max_th: Rise,
}

impl DropCurve {
    /// RED's curve: a line from 0 at min_th to max_p at max_th, and a ramp from there to 1 at `end`.
    pub(crate) fn new(min_th: f64, max_th: f64, end: RampEnd, max_p: f64) -> Self {
        let top = end.top(max_th);
        let (below_max_th, above_max_th) = (Rise::between(min_th, max_th), Rise::between(max_th, top));
        Self { min_th, max_th, top, max_p, ramp: max_p, end, below_max_th, above_max_th }
    }

    /// NLRED's curve: a parabola from 0 at min_th to 1.5 max_p at max_th instead of the line.
    #[must_use]
    pub(crate) fn with_parabola(mut self, is_parabola: bool) -> Self {
        self.below_max_th.is_parabola = is_parabola;
        self
    }

    /// Section 4: the initial marking probability.
    #[inline]
    pub(crate) fn p_b(&self, avg: f64) -> f64 {
        if avg < self.min_th {
            0.0
        } else if avg >= self.top {
            1.0
        } else {
            self.p_b_below_top(avg)
        }
    }

    /// The same for an average between min_th and the end of the curve.
    #[inline]
    pub(crate) fn p_b_below_top(&self, avg: f64) -> f64 {
        if avg < self.max_th {
            self.below_max_th.at(avg, self.max_p).clamp(0.0, 1.0)
        } else {
            (self.ramp + self.above_max_th.at(avg, 1.0 - self.ramp)).clamp(0.0, 1.0)
        }
    }

    /// This curve with another max_p; `from` selects the start of the ramp.
    #[must_use]
    pub(crate) fn with_max_p(self, max_p: f64, from: GentleFrom) -> Self {
        let ramp = match from {
            GentleFrom::First => self.ramp,
            GentleFrom::Current => max_p.min(1.0),
        };
        Self { max_p, ramp, ..self }
    }

    /// This curve with other thresholds. With `First` the line and the ramp stay where they are, and the thresholds
    /// only select which of them applies.
    #[must_use]
    pub(crate) fn with_thresholds(self, min_th: f64, max_th: f64, from: GentleFrom) -> Self {
        match from {
            GentleFrom::First => Self { min_th, max_th, top: self.end.top(max_th), ..self },
            GentleFrom::Current => Self { ramp: self.ramp, ..Self::new(min_th, max_th, self.end, self.max_p) }
                .with_parabola(self.below_max_th.is_parabola),
        }
    }

    /// This curve with the max_p and the ramp's start of `other`.
    #[must_use]
    pub(crate) fn with_heights_of(self, other: &Self) -> Self {
        Self { max_p: other.max_p, ramp: other.ramp, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(end: RampEnd) -> DropCurve {
        DropCurve::new(4.0, 12.0, end, 0.25)
    }

    #[test]
    fn it_is_that_of_the_paper() {
        let p_b = [3.9, 4.0, 8.0, 11.0, 12.0].map(|avg| curve(RampEnd::MaxTh).p_b(avg));
        assert_eq!(p_b, [0.0, 0.0, 0.125, 0.25 * 7.0 / 8.0, 1.0]);
    }

    #[test]
    fn the_ramp_is_continuous_at_both_ends() {
        for (end, at) in [(RampEnd::TwiceMaxTh, 24.0), (RampEnd::At(35.0), 35.0)] {
            let curve = curve(end);
            assert!((curve.p_b(12.0 - 1e-9) - 0.25).abs() < 1e-8);
            assert_eq!(curve.p_b(12.0), 0.25);
            assert!((curve.p_b(f64::midpoint(12.0, at)) - 0.625).abs() < 1e-12);
            assert!((curve.p_b(at - 1e-9) - 1.0).abs() < 1e-8);
            assert_eq!(curve.p_b(at), 1.0);
        }
    }

    #[test]
    fn another_max_p_lifts_the_line_and_only_with_current_the_ramp() {
        let [first, current] =
            [GentleFrom::First, GentleFrom::Current].map(|from| curve(RampEnd::TwiceMaxTh).with_max_p(0.5, from));
        assert_eq!([first.p_b(8.0), current.p_b(8.0)], [0.25, 0.25]);
        assert_eq!([first.p_b(18.0), current.p_b(18.0)], [0.625, 0.75]);
        // beyond 1 the line is cut off, and the ramp starts at 1
        let steep = curve(RampEnd::TwiceMaxTh).with_max_p(2.0, GentleFrom::Current);
        assert_eq!([8.0, 11.0, 12.0, 18.0].map(|avg| steep.p_b(avg)), [1.0; 4]);
    }

    #[test]
    fn other_thresholds_move_the_line_only_with_current() {
        let [first, current] = [GentleFrom::First, GentleFrom::Current]
            .map(|from| curve(RampEnd::TwiceMaxTh).with_thresholds(6.0, 10.0, from));
        assert_eq!([first.p_b(5.9), current.p_b(5.9)], [0.0, 0.0]);
        assert_eq!([first.p_b(8.0), current.p_b(8.0)], [0.125, 0.125]);
        assert_eq!([first.p_b(7.0), current.p_b(7.0)], [0.25 * 3.0 / 8.0, 0.25 / 4.0]);
        assert_eq!([first.top, current.top], [20.0, 20.0]);
        assert_eq!(current.p_b(15.0), 0.625);
    }

    #[test]
    fn the_parabola_of_nlred_by_hand() {
        // 1.5 max_p x^2 at x = 0, 1/4, 1/2, 2/3 (where it meets the line), and just below 1
        let nlred = curve(RampEnd::MaxTh).with_parabola(true);
        let line = curve(RampEnd::MaxTh);
        for (x, p_b) in [(0.0, 0.0), (0.25, 0.375 / 16.0), (0.5, 0.375 / 4.0), (0.999_999_9, 0.375)] {
            assert!((nlred.p_b(4.0 + 8.0 * x) - p_b).abs() < 1e-6, "{x}");
        }
        let meet = 4.0 + 8.0 * 2.0 / 3.0;
        assert!((nlred.p_b(meet) - line.p_b(meet)).abs() < 1e-12);
        assert_eq!((nlred.p_b(3.9), nlred.p_b(12.0)), (0.0, 1.0));
        // the mean over the thresholds is that of the line
        let mean =
            |curve: DropCurve| (0..8000).map(|n| curve.p_b(4.0 + (f64::from(n) + 0.5) / 1000.0)).sum::<f64>() / 8000.0;
        assert!((mean(nlred) - 0.125).abs() < 1e-6 && (mean(line) - 0.125).abs() < 1e-6);
    }

    #[test]
    fn the_parabola_is_cut_at_1_and_follows_thresholds() {
        let steep = DropCurve::new(4.0, 12.0, RampEnd::MaxTh, 1.0).with_parabola(true);
        assert_eq!(steep.p_b(11.9), 1.0);
        let moved = steep.with_thresholds(8.0, 12.0, GentleFrom::Current);
        assert!((moved.p_b(10.0) - 0.375).abs() < 1e-12);
        assert!((steep.with_max_p(0.5, GentleFrom::First).p_b(8.0) - 0.1875).abs() < 1e-12);
    }
}
