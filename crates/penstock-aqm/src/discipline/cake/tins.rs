//! The assignment of packets to tins by codepoint, and the priority and share of each tin.

penstock_core::choice! {
    /// How packets are divided into tins.
    pub enum Diffserv {
        /// Bulk, Best Effort, Voice.
        Diffserv3 = "diffserv3",
        /// Bulk, Best Effort, Video, Voice.
        Diffserv4 = "diffserv4",
        /// Background, High Throughput, Best Effort, Video Streaming, Low-Latency Transactions, Interactive Shell,
        /// Minimum Latency, Network Control.
        Diffserv8 = "diffserv8",
        /// The eight values of IP precedence.
        Precedence = "precedence",
        /// One tin for all.
        BestEffort = "besteffort",
    }
}

/// The priority and the share of a tin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Entitlement {
    /// Its weight while it sends less than its threshold.
    pub(super) priority: f64,
    /// Its weight above the threshold, and the threshold itself as a share of the link.
    pub(super) share: f64,
}

const BULK: Entitlement = Entitlement { priority: 1.0 / 16.0, share: 1.0 / 16.0 };
const BEST_EFFORT: Entitlement = Entitlement { priority: 1.0, share: 1.0 };
const VIDEO: Entitlement = Entitlement { priority: 4.0, share: 0.5 };
const VOICE: Entitlement = Entitlement { priority: 16.0, share: 0.25 };

/// From tin to tin, the priority rises by a half and the share falls by an eighth.
const LADDER: [Entitlement; 8] = {
    let mut ladder = [BEST_EFFORT; 8];
    let mut i = 1;
    while i < 8 {
        ladder[i].priority = ladder[i - 1].priority * 1.5;
        ladder[i].share = ladder[i - 1].share * 0.875;
        i += 1;
    }
    ladder
};

impl Diffserv {
    /// The tins, the least urgent first.
    pub(super) fn tins(self) -> &'static [Entitlement] {
        match self {
            Self::BestEffort => &[BEST_EFFORT],
            Self::Diffserv3 => &[BULK, BEST_EFFORT, VOICE],
            Self::Diffserv4 => &[BULK, BEST_EFFORT, VIDEO, VOICE],
            Self::Diffserv8 | Self::Precedence => &LADDER,
        }
    }

    /// The tins in the order in which a shaped CAKE serves the tins within their schedules. Best Effort comes after
    /// Bulk: it may send at the whole rate, so it is always within its schedule.
    pub(super) fn by_urgency(self) -> &'static [usize] {
        match self {
            Self::BestEffort => &[0],
            Self::Diffserv3 => &[2, 0, 1],
            Self::Diffserv4 => &[3, 2, 0, 1],
            Self::Diffserv8 | Self::Precedence => &[7, 6, 5, 4, 3, 2, 1, 0],
        }
    }

    /// The tin of a codepoint. CS6, CS7 = 48, 56; EF, VA = 46, 44; LE = 1; CSn = 8 n; AFxy = 8 x + 2 y.
    #[inline]
    pub(super) fn tin(self, dscp: u8) -> usize {
        match self {
            Self::BestEffort => 0,
            Self::Precedence => usize::from(dscp >> 3).min(7),
            Self::Diffserv3 => match dscp {
                1 | 8 => 0,
                4 | 44 | 46 | 48 | 56 => 2,
                _ => 1,
            },
            Self::Diffserv4 => match dscp {
                1 | 8 => 0,
                4 | 16 | 18 | 20 | 22 | 24 | 26 | 28 | 30 | 34 | 36 | 38 => 2,
                32 | 40 | 44 | 46 | 48 | 56 => 3,
                _ => 1,
            },
            Self::Diffserv8 => match dscp {
                1 | 8 => 0,
                2 | 10 | 12 | 14 => 1,
                24 | 26 | 28 | 30 | 34 | 36 | 38 => 3,
                4 | 18 | 20 | 22 => 4,
                16 => 5,
                32 | 40 | 44 | 46 => 6,
                48 | 56 => 7,
                _ => 2,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use penstock_core::param::FromValue;

    #[test]
    fn the_known_codepoints_fall_in_their_tins() {
        let tins = |diffserv: Diffserv| [1, 8, 0, 10, 18, 26, 34, 32, 46, 48].map(|dscp| diffserv.tin(dscp));
        assert_eq!(tins(Diffserv::BestEffort), [0; 10]);
        assert_eq!(tins(Diffserv::Diffserv3), [0, 0, 1, 1, 1, 1, 1, 1, 2, 2]);
        assert_eq!(tins(Diffserv::Diffserv4), [0, 0, 1, 1, 2, 2, 2, 3, 3, 3]);
        assert_eq!(tins(Diffserv::Diffserv8), [0, 0, 2, 1, 4, 3, 3, 6, 6, 7]);
        assert_eq!(tins(Diffserv::Precedence), [0, 1, 0, 1, 2, 3, 4, 4, 5, 6]);
    }

    #[test]
    fn every_codepoint_has_a_tin() {
        let diffserv = |word: &&str| Diffserv::from_value(&penstock_core::param::Value::Text((*word).into())).unwrap();
        for diffserv in ["diffserv3", "diffserv4", "diffserv8", "precedence", "besteffort"].iter().map(diffserv) {
            assert!((0..=255).all(|dscp| diffserv.tin(dscp) < diffserv.tins().len()));
        }
    }
}
