//! The colours of the three colour markers.

use penstock_core::Dscp;

/// The colours of a three colour marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colour {
    Green,
    Yellow,
    Red,
}

penstock_core::choice! {
    /// Whether a meter considers the colour of an arriving packet.
    pub enum Mode {
        /// Every packet counts as uncoloured.
        Blind = "blind",
        /// A packet can keep its colour or get a worse one: AFx1 is green, AFx2 yellow, AFx3 red, all else green.
        Aware = "aware",
    }
}

impl Mode {
    /// The colour of an arriving packet with this codepoint; green if the meter is colour-blind.
    pub(crate) fn colour(self, dscp: u8) -> Colour {
        let precedence = Dscp::new(dscp).and_then(Dscp::assured_forwarding).map(|(_, precedence)| precedence);
        match (self, precedence) {
            (Self::Aware, Some(2)) => Colour::Yellow,
            (Self::Aware, Some(3)) => Colour::Red,
            _ => Colour::Green,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_the_drop_precedences_of_assured_forwarding() {
        let colour = |mode: Mode, name| mode.colour(Dscp::from_name(name).unwrap().number());
        let names = ["AF31", "AF22", "AF43", "EF", "default"];
        let coloured = [Colour::Green, Colour::Yellow, Colour::Red, Colour::Green, Colour::Green];
        assert_eq!(names.map(|name| colour(Mode::Aware, name)), coloured);
        assert_eq!(names.map(|name| colour(Mode::Blind, name)), [Colour::Green; 5]);
    }
}
