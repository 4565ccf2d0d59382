//! The random verdict that many AQMs share.

use crate::aqm::{Cause, Verdict};
use penstock_core::Rng;

/// Drop, or mark where `ecn` is set, with probability `p`. A number is drawn only for 0 < p < 1.
#[inline]
pub(crate) fn toss(p: f64, ecn: bool, rng: &mut Rng) -> Verdict {
    if p <= 0.0 || (p < 1.0 && !rng.chance(p)) {
        Verdict::Pass
    } else if ecn {
        Verdict::Mark(Cause::Early)
    } else {
        Verdict::Drop(Cause::Early)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_drawn_only_where_there_is_a_choice() {
        let (mut rng, mut untouched) = (Rng::stream(1, "coin"), Rng::stream(1, "coin"));
        assert_eq!(toss(0.0, true, &mut rng), Verdict::Pass);
        assert_eq!(toss(1.0, true, &mut rng), Verdict::Mark(Cause::Early));
        assert_eq!(toss(1.0, false, &mut rng), Verdict::Drop(Cause::Early));
        assert_eq!(rng.bits(), untouched.bits());
        toss(0.5, false, &mut rng);
        untouched.bits();
        assert_eq!(rng.bits(), untouched.bits());
    }
}
