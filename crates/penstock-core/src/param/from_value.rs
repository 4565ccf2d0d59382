//! Types of parameters, each converted from a [`Value`].

use super::{ClassSetting, Kind, Value};
use crate::dscp::Dscp;
use crate::time::Span;
use crate::units::{Bytes, Rate, SignedBytes};
use alloc::vec::Vec;

/// A type that a parameter can have.
pub trait FromValue: Sized {
    /// The kind of its value.
    const KIND: Kind;
    /// Words that it also accepts.
    const WORDS: &'static [&'static str] = &[];
    /// Converts `value`; `None` if it is of another kind.
    fn from_value(value: &Value) -> Option<Self>;
    /// Its value if none is given and there is no default; `None` if the parameter is required.
    fn absent() -> Option<Self> {
        None
    }
}

impl FromValue for f64 {
    const KIND: Kind = Kind::Number;
    fn from_value(value: &Value) -> Option<Self> {
        match *value {
            Value::Number(x) if x.is_finite() => Some(x),
            _ => None,
        }
    }
}

impl FromValue for bool {
    const KIND: Kind = Kind::Flag;
    fn from_value(value: &Value) -> Option<Self> {
        match *value {
            Value::Flag(flag) => Some(flag),
            _ => None,
        }
    }
}

impl FromValue for Span {
    const KIND: Kind = Kind::Time;
    fn from_value(value: &Value) -> Option<Self> {
        match *value {
            Value::Time(span) => Some(span),
            _ => None,
        }
    }
}

impl FromValue for Bytes {
    const KIND: Kind = Kind::Size;
    fn from_value(value: &Value) -> Option<Self> {
        match *value {
            Value::Bytes(x) if x.is_finite() && x >= 0.0 => Some(Self(x as u64)),
            _ => None,
        }
    }
}

impl FromValue for SignedBytes {
    const KIND: Kind = Kind::Size;
    fn from_value(value: &Value) -> Option<Self> {
        match *value {
            Value::Bytes(x) if x.abs() <= f64::from(i32::MAX) => Some(Self(x as i32)),
            _ => None,
        }
    }
}

/// In canonical form, a number of bits per second.
impl FromValue for Rate {
    const KIND: Kind = Kind::Rate;
    fn from_value(value: &Value) -> Option<Self> {
        match *value {
            Value::Number(x) if x.is_finite() && x >= 0.0 => Some(Self::from_bits_per_second(x as u64)),
            _ => None,
        }
    }
}

impl FromValue for u32 {
    const KIND: Kind = Kind::Integer;
    fn from_value(value: &Value) -> Option<Self> {
        match *value {
            Value::Number(x) if x >= 0.0 && x <= f64::from(Self::MAX) && x == crate::math::floor(x) => Some(x as Self),
            _ => None,
        }
    }
}

/// Several numbers.
impl FromValue for Vec<f64> {
    const KIND: Kind = Kind::Numbers;
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Numbers(numbers) if numbers.iter().all(|x| x.is_finite()) => Some(numbers.clone()),
            _ => None,
        }
    }
}

/// Classes; none by default.
impl FromValue for Vec<ClassSetting> {
    const KIND: Kind = Kind::Classes;
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Classes(classes) => Some(classes.clone()),
            _ => None,
        }
    }
    fn absent() -> Option<Self> {
        Some(Self::new())
    }
}

/// An optional parameter, with [`Default::Absent`](super::Default::Absent).
impl<T: FromValue> FromValue for Option<T> {
    const KIND: Kind = T::KIND;
    const WORDS: &'static [&'static str] = T::WORDS;
    fn from_value(value: &Value) -> Option<Self> {
        T::from_value(value).map(Some)
    }
    fn absent() -> Option<Self> {
        Some(None)
    }
}

/// A queue length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Length {
    /// In packets.
    Packets(f64),
    /// In bytes.
    Bytes(f64),
}

impl FromValue for Length {
    const KIND: Kind = Kind::Length;
    fn from_value(value: &Value) -> Option<Self> {
        match *value {
            Value::Number(x) | Value::Packets(x) if x.is_finite() => Some(Self::Packets(x)),
            Value::Bytes(x) if x.is_finite() => Some(Self::Bytes(x)),
            _ => None,
        }
    }
}

/// A queue length, or the time that the link needs to send it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LengthOrTime {
    /// A length.
    Length(Length),
    /// A time.
    Time(Span),
}

impl Length {
    /// In packets of `mean` size.
    pub fn in_packets(self, mean: Bytes) -> f64 {
        match self {
            Self::Packets(packets) => packets,
            Self::Bytes(bytes) => bytes / mean.0.max(1) as f64,
        }
    }
}

impl LengthOrTime {
    /// In packets of `mean` size; `capacity`: packets per second of the link.
    pub fn in_packets(self, mean: Bytes, capacity: f64) -> f64 {
        match self {
            Self::Length(length) => length.in_packets(mean),
            Self::Time(time) => capacity * time.as_secs(),
        }
    }
}

impl FromValue for LengthOrTime {
    const KIND: Kind = Kind::LengthOrTime;
    fn from_value(value: &Value) -> Option<Self> {
        Span::from_value(value).map(Self::Time).or_else(|| Length::from_value(value).map(Self::Length))
    }
}

/// A value, or the word "auto" for a rule of the mechanism.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Auto<T> {
    /// By the rule.
    Auto,
    /// This.
    Value(T),
}

impl<T: FromValue> FromValue for Auto<T> {
    const KIND: Kind = T::KIND;
    const WORDS: &'static [&'static str] = &["auto"];
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Text(word) if word == "auto" => Some(Self::Auto),
            _ => T::from_value(value).map(Self::Value),
        }
    }
}

/// A name such as "AF11" or a number from 0 to 63.
impl FromValue for Dscp {
    const KIND: Kind = Kind::Choice(&Self::NAMES);
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Text(name) => Self::from_name(name),
            Value::Number(_) => u32::from_value(value).and_then(|number| u8::try_from(number).ok()).and_then(Self::new),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_a_name_or_a_number() {
        assert_eq!(Dscp::from_value(&Value::Text("af12".into())).unwrap().number(), 12);
        assert_eq!(Dscp::from_value(&Value::Number(46.0)), Some(Dscp::EF));
        for wrong in [Value::Number(64.0), Value::Number(0.5), Value::Text("AF14".into()), Value::Flag(true)] {
            assert_eq!(Dscp::from_value(&wrong), None);
        }
    }
}
