//! Differentiated services codepoints and their names.
//!
//! RFC 2474 (class selectors), RFC 2597 (Assured Forwarding: AFxy is 8x + 2y, class x, drop precedence y), RFC 3246
//! (Expedited Forwarding), RFC 9956 (Non-Queue-Building).

/// A differentiated services codepoint, 0 to 63.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dscp(u8);

/// Every name with its codepoint; if two names share a codepoint, the first is printed.
const TABLE: [(&str, u8); 23] = [
    ("default", 0),
    ("CS0", 0),
    ("CS1", 8),
    ("CS2", 16),
    ("CS3", 24),
    ("CS4", 32),
    ("CS5", 40),
    ("CS6", 48),
    ("CS7", 56),
    ("AF11", 10),
    ("AF12", 12),
    ("AF13", 14),
    ("AF21", 18),
    ("AF22", 20),
    ("AF23", 22),
    ("AF31", 26),
    ("AF32", 28),
    ("AF33", 30),
    ("AF41", 34),
    ("AF42", 36),
    ("AF43", 38),
    ("NQB", 45),
    ("EF", 46),
];

impl Dscp {
    /// Best effort.
    pub const DEFAULT: Self = Self(0);
    /// Expedited Forwarding.
    pub const EF: Self = Self(46);
    /// All names, for lists and messages.
    pub const NAMES: [&'static str; TABLE.len()] = {
        let mut names = [""; TABLE.len()];
        let mut i = 0;
        while i < TABLE.len() {
            names[i] = TABLE[i].0;
            i += 1;
        }
        names
    };

    /// The codepoint with this number; `None` above 63.
    pub const fn new(number: u8) -> Option<Self> {
        if number < 64 { Some(Self(number)) } else { None }
    }

    /// The codepoint with this name, in upper or lower case.
    pub fn from_name(name: &str) -> Option<Self> {
        TABLE.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|&(_, number)| Self(number))
    }

    /// Its number.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Its name, if it has one.
    pub fn name(self) -> Option<&'static str> {
        TABLE.iter().find(|&&(_, number)| number == self.0).map(|&(name, _)| name)
    }

    /// Class (1 to 4) and drop precedence (1 to 3) of an Assured Forwarding codepoint.
    pub const fn assured_forwarding(self) -> Option<(u8, u8)> {
        let (class, low) = (self.0 >> 3, self.0 & 7);
        if 1 <= class && class <= 4 && low != 0 && low.is_multiple_of(2) { Some((class, low / 2)) } else { None }
    }

    /// Whether it is a class selector, CS0 to CS7.
    pub const fn is_class_selector(self) -> bool {
        self.0.trailing_zeros() >= 3
    }

    /// The IP precedence (RFC 791) in its upper three bits.
    pub const fn ip_precedence(self) -> u8 {
        self.0 >> 3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assured_forwarding_is_8x_plus_2y() {
        for (class, precedence) in (1..=4).flat_map(|class| (1..=3).map(move |precedence| (class, precedence))) {
            let name = std::format!("AF{class}{precedence}");
            let dscp = Dscp::from_name(&name).unwrap();
            assert_eq!(dscp.number(), 8 * class + 2 * precedence);
            assert_eq!(dscp.assured_forwarding(), Some((class, precedence)));
            assert_eq!(dscp.name(), Some(name.as_str()));
        }
        let others = (0..64).filter_map(Dscp::new).filter(|dscp| dscp.assured_forwarding().is_none()).count();
        assert_eq!(others, 64 - 12);
    }

    #[test]
    fn class_selectors_keep_the_ip_precedence() {
        for precedence in 0..8 {
            let dscp = Dscp::from_name(&std::format!("cs{precedence}")).unwrap();
            assert!(dscp.is_class_selector());
            assert_eq!(dscp.ip_precedence(), precedence);
        }
        assert!(!Dscp::EF.is_class_selector());
        assert_eq!((Dscp::EF.ip_precedence(), Dscp::EF.name()), (5, Some("EF")));
        assert_eq!((Dscp::DEFAULT.name(), Dscp::new(1).unwrap().name(), Dscp::new(64)), (Some("default"), None, None));
    }
}
