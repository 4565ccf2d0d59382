//! Fields of the IP header of a group's packets.

use penstock_core::Ecn;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// A field of the header of all packets of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HeaderField<T> {
    /// The same in all packets.
    Fixed(T),
    /// Each packet keeps its recorded value; for `replay`. In canonical form "recorded".
    Recorded,
}

impl<T> HeaderField<T> {
    /// The value, if all packets have the same.
    pub fn fixed(self) -> Option<T> {
        match self {
            Self::Fixed(value) => Some(value),
            Self::Recorded => None,
        }
    }
}

impl<T: Default> Default for HeaderField<T> {
    fn default() -> Self {
        Self::Fixed(T::default())
    }
}

const RECORDED: &str = "recorded";

/// A codepoint, in canonical form a number.
impl<'de> Deserialize<'de> for HeaderField<u8> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Raw {
            Number(u8),
            Word(String),
        }
        match Raw::deserialize(from)? {
            Raw::Number(number) => Ok(Self::Fixed(number)),
            Raw::Word(word) if word == RECORDED => Ok(Self::Recorded),
            Raw::Word(word) => {
                Err(D::Error::custom(format!("unknown codepoint {word:?}: expected a number or {RECORDED:?}")))
            }
        }
    }
}

/// An ECN field, in canonical form a word.
impl<'de> Deserialize<'de> for HeaderField<Ecn> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let word = String::deserialize(from)?;
        if word == RECORDED {
            return Ok(Self::Recorded);
        }
        let words = Ecn::ALL.map(Ecn::word).join(", ");
        let unknown = || D::Error::custom(format!("unknown ECN field {word:?}: expected one of {words}, {RECORDED}"));
        Ecn::from_word(&word).map(Self::Fixed).ok_or_else(unknown)
    }
}
