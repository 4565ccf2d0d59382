//! Parameters as data, the source of `list`, `explain`, `check`, the Python classes and the reference pages.

mod choice;
mod from_value;
mod inherit;
mod read;

pub use choice::nearest;
pub use from_value::{Auto, FromValue, Length, LengthOrTime};
pub use inherit::{inherit, inherited_len, without};
pub use read::{Params, Reader, read, read_with};

use crate::packet::Ecn;
use crate::time::Span;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use serde::{Deserialize, Deserializer};

/// The kind of value of a parameter. Times, sizes and lengths reach Rust in canonical form, without unit suffixes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A plain number: a probability, a weight, a gain.
    Number,
    /// A whole number.
    Integer,
    /// True or false.
    Flag,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A length of time.
    Time,
    /// A size in bytes.
    Size,
    /// A rate in bits per second.
    Rate,
    /// A queue length in packets or bytes; a bare number is packets.
    Length,
    /// A queue length, or the time that the link needs to send it.
    LengthOrTime,
    /// Several numbers.
    Numbers,
    /// Differentiated services codepoints; in canonical form their numbers.
    Codepoints,
    /// Writes of an application; in canonical form nanoseconds and bytes alternate.
    Writes,
    /// Classes of packets, each with a match, settings of its own and a queue.
    Classes,
}

/// A value in canonical form. Quantities with a unit are read from objects: `{"ns": 5}`, `{"packets": 5}`, `{"bytes": 5}`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A number; for a length, in packets.
    Number(f64),
    /// True or false.
    Flag(bool),
    /// A word.
    Text(String),
    /// Several numbers. Precedes the kinds that are read from objects: a list of one number would be taken for an
    /// object with one field.
    Numbers(Vec<f64>),
    /// A length in packets.
    #[serde(deserialize_with = "packets")]
    Packets(f64),
    /// A size or length in bytes.
    #[serde(deserialize_with = "bytes")]
    Bytes(f64),
    /// A length of time.
    #[serde(deserialize_with = "time")]
    Time(Span),
    /// Classes of packets. They are not deserialized: the names in a class have a meaning only within a scenario.
    #[serde(skip)]
    Classes(Vec<ClassSetting>),
}

fn packets<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    #[derive(Deserialize)]
    struct Packets {
        packets: f64,
    }
    Packets::deserialize(from).map(|value| value.packets)
}

fn bytes<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    #[derive(Deserialize)]
    struct Bytes {
        bytes: f64,
    }
    Bytes::deserialize(from).map(|value| value.bytes)
}

fn time<'de, D: Deserializer<'de>>(from: D) -> Result<Span, D::Error> {
    #[derive(Deserialize)]
    struct Time {
        ns: u64,
    }
    Time::deserialize(from).map(|value| Span::from_nanos(value.ns))
}

/// Values by the name of their parameter.
pub type Settings = [(String, Value)];

/// All errors found in a list of settings.
pub type ParamErrors = Vec<ParamError>;

/// A class of packets as the user wrote it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassSetting {
    /// Its name.
    pub name: String,
    /// Which packets belong to it.
    pub matches: Match,
    /// Its own settings, such as weight, share, priority or rate.
    pub settings: Vec<(String, Value)>,
    /// Scheme of its queue and that scheme's settings; `None`: drop-tail.
    pub queue: Option<(String, Vec<(String, Value)>)>,
}

/// Condition for packets to belong to a class: they match every list that is not empty. The empty condition matches all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Match {
    /// Codepoints.
    pub dscp: Vec<u8>,
    /// Numbers of flows, as ranges with both ends included.
    pub flows: Vec<(u32, u32)>,
    /// Numbers of the source hosts.
    pub from: Vec<u32>,
    /// Numbers of the destination hosts.
    pub to: Vec<u32>,
    /// IP protocol numbers.
    pub protocol: Vec<u8>,
    /// ECN fields.
    pub ecn: Vec<Ecn>,
    /// Sizes on the wire in bytes, as a range with both ends included.
    pub size: Option<(u32, u32)>,
}

/// Value of a parameter that the user does not set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Default {
    /// This number: packets for lengths, bytes for sizes.
    Number(f64),
    /// This many nanoseconds.
    Nanos(u64),
    /// True or false.
    Flag(bool),
    /// This word; for a numeric parameter a word such as "auto" that names a rule.
    Text(&'static str),
    /// These numbers.
    Numbers(&'static [f64]),
    /// It must be given.
    Required,
    /// Absent unless given.
    Absent,
}

/// Description of one parameter of a mechanism; the only place that states its range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParamInfo {
    /// Its symbol in the literature, e.g. `min_th`, `w_q`.
    pub name: &'static str,
    /// Its effect, in one or two sentences.
    pub doc: &'static str,
    /// Unit as printed: "packets", "s", "bytes", "" for a ratio.
    pub unit: &'static str,
    /// Kind of value.
    pub kind: Kind,
    /// Words that a numeric parameter accepts too, such as "auto".
    pub words: &'static [&'static str],
    /// Its default.
    pub default: Default,
    /// Minimum and maximum in the canonical unit (seconds for times), both included.
    pub range: Option<(f64, f64)>,
}

/// A rejected setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamError {
    /// The parameter.
    pub name: String,
    /// The error and the legal values, as one sentence without the name.
    pub message: String,
}

impl ParamError {
    /// Rejects parameter `name`; `message` gives the error and the legal values.
    pub fn new(name: impl Into<String>, message: impl Into<String>) -> Self {
        Self { name: name.into(), message: message.into() }
    }
}

impl Kind {
    /// Describes a value of this kind, for messages.
    pub const fn wanted(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Integer => "a whole number",
            Self::Flag => "true or false",
            Self::Choice(_) => "a word",
            Self::Time => "a time such as \"500ms\"",
            Self::Size => "a size such as \"1000B\"",
            Self::Rate => "a rate such as \"1Mbit\"",
            Self::Length => "a length such as 15, \"15p\" or \"15kB\"",
            Self::LengthOrTime => "a length such as \"15p\" or a time such as \"50ms\"",
            Self::Numbers => "a list of numbers",
            Self::Codepoints => "a list of code points from 0 to 63, such as [45]",
            Self::Writes => "a list of times and sizes in the order of time, such as [[\"0s\", \"100kB\"]]",
            Self::Classes => "a list of classes",
        }
    }
}

impl Default {
    /// The default as a value, if there is one.
    pub fn value(self) -> Option<Value> {
        match self {
            Self::Number(x) => Some(Value::Number(x)),
            Self::Nanos(nanos) => Some(Value::Time(Span::from_nanos(nanos))),
            Self::Flag(flag) => Some(Value::Flag(flag)),
            Self::Text(word) => Some(Value::Text(word.into())),
            Self::Numbers(numbers) => Some(Value::Numbers(numbers.into())),
            Self::Required | Self::Absent => None,
        }
    }
}

impl ParamInfo {
    /// The default as a value, if there is one: a size in bytes, a length in packets.
    pub fn default_value(&self) -> Option<Value> {
        match (self.kind, self.default.value()?) {
            (Kind::Size, Value::Number(x)) => Some(Value::Bytes(x)),
            (_, value) => Some(value),
        }
    }
}

impl Value {
    /// The number in the canonical unit, seconds for times; `None` for words and flags.
    pub fn number(&self) -> Option<f64> {
        match *self {
            Self::Number(x) | Self::Packets(x) | Self::Bytes(x) => Some(x),
            Self::Time(span) => Some(span.as_secs()),
            Self::Flag(_) | Self::Text(_) | Self::Numbers(_) | Self::Classes(_) => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(x) => write!(f, "{x}"),
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Text(word) => write!(f, "\"{word}\""),
            Self::Packets(x) => write!(f, "{x} packets"),
            Self::Bytes(x) => write!(f, "{x} bytes"),
            Self::Time(span) => write!(f, "{span}"),
            Self::Numbers(numbers) => write!(f, "{numbers:?}"),
            Self::Classes(classes) => {
                let names: Vec<&str> = classes.iter().map(|class| class.name.as_str()).collect();
                write!(f, "classes {}", names.join(", "))
            }
        }
    }
}
