//! Parameters as data: what `list`, `explain`, `check`, the Python classes and the reference pages are made from.

use crate::time::Span;
use alloc::string::String;

/// What kind of value a parameter takes. Times, sizes and lengths reach Rust in canonical form, without unit suffixes.
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
    /// A queue length, in the unit that the law measures in: packets or bytes.
    Length,
    /// A queue length, or the time the link needs to send it.
    LengthOrTime,
}

/// A value in canonical form.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number, or a length in the law's own unit.
    Number(f64),
    /// True or false.
    Flag(bool),
    /// A word.
    Text(String),
    /// A length in packets.
    Packets(f64),
    /// A size or length in bytes.
    Bytes(f64),
    /// A length of time.
    Time(Span),
}

/// What a parameter is when the user says nothing.
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
    /// It must be given.
    Required,
    /// Absent unless given.
    Absent,
}

/// One parameter of a mechanism. Its range stands here, once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParamInfo {
    /// The literature's symbol: `min_th`, `w_q`.
    pub name: &'static str,
    /// What it does, in one or two sentences.
    pub doc: &'static str,
    /// Unit as printed: "packets", "s", "bytes", "" for a ratio.
    pub unit: &'static str,
    /// Kind of value.
    pub kind: Kind,
    /// Words that a numeric parameter also takes, such as "auto".
    pub words: &'static [&'static str],
    /// Value when nothing is said.
    pub default: Default,
    /// Smallest and largest legal number in the canonical unit (seconds for times), both included.
    pub range: Option<(f64, f64)>,
}

/// A setting that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamError {
    /// The parameter.
    pub name: String,
    /// What is wrong and what is allowed, as one sentence without the name.
    pub message: String,
}
