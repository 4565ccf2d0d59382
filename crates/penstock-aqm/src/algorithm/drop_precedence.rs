//! The drop precedence of a packet, from its codepoint.

use penstock_core::Dscp;

penstock_core::choice! {
    /// The source of a packet's drop precedence. Level 0 is dropped last.
    pub enum Precedence {
        /// Assured Forwarding: AFxy is level y - 1, EF and CS1 to CS7 are level 0, all else the last level.
        Af = "af",
        /// IP precedence, the upper three bits of the codepoint: level 7 minus it, at most the last level.
        Ip = "ip",
    }
}

impl Precedence {
    /// The level, from 0 to `levels` - 1, of a packet with this codepoint.
    #[inline]
    pub(crate) fn level(self, dscp: u8, levels: usize) -> usize {
        let Some(dscp) = Dscp::new(dscp) else { return levels - 1 };
        let level = match self {
            Self::Ip => 7 - dscp.ip_precedence(),
            Self::Af => match dscp.assured_forwarding() {
                Some((_, precedence)) => precedence - 1,
                None if dscp == Dscp::EF || (dscp.is_class_selector() && dscp != Dscp::DEFAULT) => 0,
                None => u8::MAX,
            },
        };
        usize::from(level).min(levels - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(precedence: Precedence, name: &str, levels: usize) -> usize {
        precedence.level(Dscp::from_name(name).unwrap().number(), levels)
    }

    #[test]
    fn assured_forwarding_gives_its_own_precedence_and_best_effort_the_last() {
        let levels = ["AF11", "AF42", "AF23", "EF", "CS6", "default"].map(|name| level(Precedence::Af, name, 4));
        assert_eq!(levels, [0, 1, 2, 0, 0, 3]);
        assert_eq!(["AF11", "AF12", "AF13", "default"].map(|name| level(Precedence::Af, name, 2)), [0, 1, 1, 1]);
    }

    #[test]
    fn ip_precedence_seven_is_dropped_last() {
        assert_eq!(["CS7", "CS5", "EF", "AF11", "CS0"].map(|name| level(Precedence::Ip, name, 8)), [0, 2, 2, 6, 7]);
        assert_eq!(["CS7", "CS6", "CS0"].map(|name| level(Precedence::Ip, name, 2)), [0, 1, 1]);
    }
}
