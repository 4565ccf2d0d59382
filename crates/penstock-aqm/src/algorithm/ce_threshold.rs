//! The packets that a CE threshold marks.

use penstock_core::Ecn;

penstock_core::choice! {
    /// Packets that a CE threshold marks.
    pub enum CeThresholdFor {
        /// All ECN-capable packets.
        Ect = "ect",
        /// Packets with ECT(1).
        Ect1 = "ect1",
    }
}

impl CeThresholdFor {
    /// Whether the threshold applies to packets with this codepoint.
    #[inline]
    pub(crate) fn includes(self, ecn: Ecn) -> bool {
        match self {
            Self::Ect => ecn.is_capable(),
            Self::Ect1 => ecn == Ecn::Ect1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_for_ect1_leaves_all_other_codepoints_out() {
        let included = |by: CeThresholdFor| [Ecn::Not, Ecn::Ect0, Ecn::Ect1, Ecn::Ce].map(|ecn| by.includes(ecn));
        assert_eq!(included(CeThresholdFor::Ect), [false, true, true, true]);
        assert_eq!(included(CeThresholdFor::Ect1), [false, false, true, false]);
    }
}
