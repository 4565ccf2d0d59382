//! From settings to parameters: every fault is collected, and none is repaired.

use super::{ClassSetting, Default, Kind, ParamError, ParamInfo, Value, nearest};
use crate::time::Span;
use crate::units::{Bytes, Rate};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A struct of parameters, with everything said about them as data.
///
/// Each field has a doc comment, a type that is a [`Setting`], a [`Default`], and where it makes sense a unit and a
/// range (`range: 0.0..=1.0` or `at_least: 0.0`). A field whose name is a word of Rust has a `key`: its name outside.
/// The struct gets `INFO`, the list of
/// [`ParamInfo`], `from_settings`, and `read`, which takes the fields out of a [`Reader`].
///
/// ```
/// use penstock_core::param::{Default, Value};
/// penstock_core::params! {
///     /// Parameters of a coin.
///     pub struct CoinParams {
///         /// Probability of heads.
///         p: f64 = Default::Number(0.5), range: 0.0..=1.0;
///     }
/// }
/// let settings = [("p".to_string(), Value::Number(0.25))];
/// assert_eq!(CoinParams::from_settings(&settings).unwrap().p, 0.25);
/// ```
#[macro_export]
macro_rules! params {
    ($(#[$meta:meta])* $vis:vis struct $struct:ident { $(
        $(#[doc = $doc:literal])+
        $name:ident: $type:ty = $default:expr $(, key: $key:literal)? $(, unit: $unit:literal)?
        $(, range: $low:literal..=$high:literal)?
        $(, at_least: $least:literal)?;
    )+ }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        $vis struct $struct { $($(#[doc = $doc])+ pub $name: $type,)+ }

        impl $struct {
            /// What there is to say about each parameter.
            pub const INFO: &'static [$crate::param::ParamInfo] = &[$($crate::param::ParamInfo {
                name: $crate::params!(@name $name $($key)?),
                doc: concat!($($doc),+).trim_ascii(),
                unit: concat!($($unit)?),
                kind: <$type as $crate::param::Setting>::KIND,
                words: <$type as $crate::param::Setting>::WORDS,
                default: $default,
                range: $crate::params!(@range $($low, $high)? $($least, f64::MAX)?),
            }),+];

            /// The parameters in these settings, which are all for them; all faults if some are refused.
            #[allow(dead_code, reason = "a mechanism that owns another reads the settings of both")]
            pub fn from_settings(settings: &$crate::param::Settings) -> Result<Self, $crate::param::Faults> {
                let mut reader = $crate::param::Reader::new(settings, Self::INFO);
                let params = Self::read(&mut reader);
                reader.finish()?;
                params.ok_or_else($crate::param::Faults::new)
            }

            /// The parameters in `reader`; `None` if it refused one of them.
            pub fn read(reader: &mut $crate::param::Reader<'_>) -> Option<Self> {
                $(let $name = reader.read::<$type>($crate::params!(@name $name $($key)?));)+
                Some(Self { $($name: $name?),+ })
            }
        }
    };
    (@name $name:ident $key:literal) => { $key };
    (@name $name:ident) => { stringify!($name) };
    (@range $low:expr, $high:expr) => { Some(($low, $high)) };
    (@range) => { None };
}

/// A type that a parameter can have.
pub trait Setting: Sized {
    /// What kind of value it takes.
    const KIND: Kind;
    /// Words it takes besides.
    const WORDS: &'static [&'static str] = &[];
    /// The setting that `value` stands for; `None` if it is of another kind.
    fn from_value(value: &Value) -> Option<Self>;
    /// The setting where nothing is given and there is no default; `None` if it cannot be left out.
    fn absent() -> Option<Self> {
        None
    }
}

impl Setting for f64 {
    const KIND: Kind = Kind::Number;
    fn from_value(value: &Value) -> Option<Self> {
        match *value {
            Value::Number(x) if x.is_finite() => Some(x),
            _ => None,
        }
    }
}

impl Setting for bool {
    const KIND: Kind = Kind::Flag;
    fn from_value(value: &Value) -> Option<Self> {
        match *value {
            Value::Flag(flag) => Some(flag),
            _ => None,
        }
    }
}

impl Setting for Span {
    const KIND: Kind = Kind::Time;
    fn from_value(value: &Value) -> Option<Self> {
        match *value {
            Value::Time(span) => Some(span),
            _ => None,
        }
    }
}

impl Setting for Bytes {
    const KIND: Kind = Kind::Size;
    fn from_value(value: &Value) -> Option<Self> {
        match *value {
            Value::Bytes(x) if x.is_finite() && x >= 0.0 => Some(Self(x as u64)),
            _ => None,
        }
    }
}

/// In canonical form a number of bits per second.
impl Setting for Rate {
    const KIND: Kind = Kind::Rate;
    fn from_value(value: &Value) -> Option<Self> {
        match *value {
            Value::Number(x) if x.is_finite() && x >= 0.0 => Some(Self::from_bits_per_second(x as u64)),
            _ => None,
        }
    }
}

impl Setting for u32 {
    const KIND: Kind = Kind::Integer;
    fn from_value(value: &Value) -> Option<Self> {
        match *value {
            Value::Number(x) if x >= 0.0 && x <= f64::from(Self::MAX) && x == crate::math::floor(x) => Some(x as Self),
            _ => None,
        }
    }
}

/// Several numbers.
impl Setting for Vec<f64> {
    const KIND: Kind = Kind::Numbers;
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Numbers(numbers) if numbers.iter().all(|x| x.is_finite()) => Some(numbers.clone()),
            _ => None,
        }
    }
}

/// Classes; none where nothing is said.
impl Setting for Vec<ClassSetting> {
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

/// A setting that may be left out, with [`Default::Absent`].
impl<T: Setting> Setting for Option<T> {
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

impl Setting for Length {
    const KIND: Kind = Kind::Length;
    fn from_value(value: &Value) -> Option<Self> {
        match *value {
            Value::Number(x) | Value::Packets(x) if x.is_finite() => Some(Self::Packets(x)),
            Value::Bytes(x) if x.is_finite() => Some(Self::Bytes(x)),
            _ => None,
        }
    }
}

/// A queue length, or the time the link needs to send it.
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
    /// In packets of `mean` size, of which the link sends `capacity` a second.
    pub fn in_packets(self, mean: Bytes, capacity: f64) -> f64 {
        match self {
            Self::Length(length) => length.in_packets(mean),
            Self::Time(time) => capacity * time.as_secs(),
        }
    }
}

impl Setting for LengthOrTime {
    const KIND: Kind = Kind::LengthOrTime;
    fn from_value(value: &Value) -> Option<Self> {
        Span::from_value(value).map(Self::Time).or_else(|| Length::from_value(value).map(Self::Length))
    }
}

/// A value, or the word "auto" for a rule that the mechanism has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Auto<T> {
    /// By the rule.
    Auto,
    /// This.
    Value(T),
}

impl<T: Setting> Setting for Auto<T> {
    const KIND: Kind = T::KIND;
    const WORDS: &'static [&'static str] = &["auto"];
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Text(word) if word == "auto" => Some(Self::Auto),
            _ => T::from_value(value).map(Self::Value),
        }
    }
}

/// Settings on their way to parameters.
///
/// Unknown and repeated names, values of the wrong kind and values out of range become faults; [`Reader::finish`] tells
/// them all.
pub struct Reader<'a> {
    settings: &'a [(String, Value)],
    infos: &'a [ParamInfo],
    derived: Vec<(&'static str, Value)>,
    faults: Vec<ParamError>,
}

impl<'a> Reader<'a> {
    /// The settings, for a mechanism whose parameters are `infos`.
    pub fn new(settings: &'a [(String, Value)], infos: &'a [ParamInfo]) -> Self {
        let mut faults = Vec::new();
        for (i, (name, _)) in settings.iter().enumerate() {
            if !infos.iter().any(|info| info.name == name) {
                faults.push(ParamError::new(name, unknown("parameter", name, infos.iter().map(|info| info.name))));
            } else if settings[..i].iter().any(|(earlier, _)| earlier == name) {
                faults.push(ParamError::new(name, "is given twice"));
            }
        }
        Self { settings, infos, derived: Vec::new(), faults }
    }

    /// Put `value` in place of what was given: for a mechanism that works out a parameter of the law it owns.
    pub fn derive(&mut self, name: &'static str, value: Value) {
        self.derived.push((name, value));
    }

    /// The value of a parameter: derived, given, or its default. `None`, and a fault, if it is refused.
    pub fn read<T: Setting>(&mut self, name: &'static str) -> Option<T> {
        if let Some((_, value)) = self.derived.iter().find(|(derived, _)| *derived == name) {
            return T::from_value(value);
        }
        let info = self.infos.iter().find(|info| info.name == name)?;
        let given = self.settings.iter().find(|(given, _)| given == name).map(|(_, value)| value.clone());
        let Some(value) = given.or_else(|| info.default_value()) else {
            if let Some(absent) = T::absent() {
                return Some(absent);
            }
            self.fault(name, format!("is missing: {} is wanted", info.kind.wanted()));
            return None;
        };
        match check(info, &value).and_then(|()| T::from_value(&value).ok_or_else(|| wrong_kind(info, &value))) {
            Ok(setting) => Some(setting),
            Err(message) => {
                self.fault(name, message);
                None
            }
        }
    }

    /// Refuse a parameter.
    pub fn fault(&mut self, name: &str, message: impl Into<String>) {
        self.faults.push(ParamError::new(name, message));
    }

    /// All faults, if there are any.
    pub fn finish(self) -> Result<(), Vec<ParamError>> {
        if self.faults.is_empty() { Ok(()) } else { Err(self.faults) }
    }
}

fn check(info: &ParamInfo, value: &Value) -> Result<(), String> {
    let lies_out = |low, high| match value {
        Value::Numbers(numbers) => numbers.iter().any(|x| !(low..=high).contains(x)),
        _ => value.number().is_some_and(|x| !(low..=high).contains(&x)),
    };
    match info.range {
        Some((low, high)) if lies_out(low, high) => {
            let unit = if info.unit.is_empty() { String::new() } else { format!(" {}", info.unit) };
            Err(if high == f64::MAX {
                format!("is {value}: it must be at least {low}{unit}")
            } else {
                format!("is {value}: it must lie between {low} and {high}{unit}")
            })
        }
        _ => Ok(()),
    }
}

fn wrong_kind(info: &ParamInfo, value: &Value) -> String {
    match (info.kind, value) {
        (Kind::Choice(words), Value::Text(word)) => unknown("choice", word, words.iter().copied()),
        (Kind::Choice(words), _) => format!("is {value}: one of {} is wanted", quoted(words.iter().copied())),
        (kind, _) if info.words.is_empty() => format!("is {value}: {} is wanted", kind.wanted()),
        (kind, _) => {
            format!("is {value}: {} or {} is wanted", kind.wanted(), quoted(info.words.iter().copied()))
        }
    }
}

/// The message for a name that is not among `known`.
fn unknown<'a>(what: &str, word: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    if let Some(right) = nearest(word, known.clone()) {
        format!("\"{word}\" is no {what} here: did you mean \"{right}\"?")
    } else if known.clone().next().is_none() {
        format!("\"{word}\" is no {what} here: there are none")
    } else {
        format!("\"{word}\" is no {what} here: there are {}", quoted(known))
    }
}

fn quoted<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", ")
}

/// How many parameters [`inherit`] gives.
pub const fn inherited_len(own: &[ParamInfo], base: &[ParamInfo]) -> usize {
    let mut len = own.len();
    let mut i = 0;
    while i < base.len() {
        if position(own, base[i].name).is_none() {
            len += 1;
        }
        i += 1;
    }
    len
}

/// The parameters of a mechanism that owns another one: its `own`, then those of the `base` that it does not replace,
/// with some other `defaults`. `N` is [`inherited_len`].
pub const fn inherit<const N: usize>(
    own: &[ParamInfo],
    base: &[ParamInfo],
    defaults: &[(&str, Default)],
) -> [ParamInfo; N] {
    let mut all = [own[0]; N];
    let mut len = 0;
    while len < own.len() {
        all[len] = own[len];
        len += 1;
    }
    let mut i = 0;
    while i < base.len() {
        if position(own, base[i].name).is_none() {
            all[len] = base[i];
            let mut d = 0;
            while d < defaults.len() {
                if same(defaults[d].0, base[i].name) {
                    all[len].default = defaults[d].1;
                }
                d += 1;
            }
            len += 1;
        }
        i += 1;
    }
    all
}

const fn position(infos: &[ParamInfo], name: &str) -> Option<usize> {
    let mut i = 0;
    while i < infos.len() {
        if same(infos[i].name, name) {
            return Some(i);
        }
        i += 1;
    }
    None
}

/// `==` of strings, which is not yet available in constants.
const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

#[cfg(test)]
#[expect(unreachable_pub, reason = "the macros under test make public items")]
mod tests {
    use super::*;

    crate::choice! {
        /// A colour.
        pub enum Colour {
            /// Red.
            Red = "red",
            /// Green.
            Green = "green",
        }
    }

    crate::params! {
        /// Parameters of a test.
        pub struct TestParams {
            /// A probability
            /// on two lines.
            p: f64 = Default::Number(0.5), range: 0.0..=1.0;
            /// A period.
            interval: Span = Default::Nanos(500), unit: "s", range: 0.0..=10.0;
            /// A weight.
            w: Auto<f64> = Default::Text("auto"), range: 0.0..=1.0;
            /// A colour.
            colour: Colour = Default::Text("red");
            /// A target.
            target: LengthOrTime = Default::Number(10.0), unit: "packets";
            /// A name that Rust reserves.
            out_of: bool = Default::Flag(false), key: "in";
        }
    }

    fn read(settings: &[(&str, Value)]) -> Result<TestParams, Vec<ParamError>> {
        let settings: Vec<_> = settings.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
        let mut reader = Reader::new(&settings, TestParams::INFO);
        let params = TestParams::read(&mut reader);
        reader.finish().map(|()| params.unwrap())
    }

    #[test]
    fn nothing_said_gives_the_defaults() {
        let params = read(&[]).unwrap();
        assert_eq!((params.p, params.w, params.colour.word()), (0.5, Auto::Auto, "red"));
        assert_eq!(params.target, LengthOrTime::Length(Length::Packets(10.0)));
        assert_eq!(TestParams::INFO[0].doc, "A probability on two lines.");
        assert!(read(&[("in", Value::Flag(true))]).unwrap().out_of && read(&[("out_of", Value::Flag(true))]).is_err());
    }

    #[test]
    fn every_fault_is_told_at_once() {
        let faults = read(&[
            ("p", Value::Number(1.5)),
            ("interval", Value::Number(3.0)),
            ("colour", Value::Text("gren".into())),
            ("w", Value::Text("fast".into())),
            ("targte", Value::Number(1.0)),
        ])
        .unwrap_err();
        let message = |name: &str| &faults.iter().find(|fault| fault.name == name).unwrap().message;
        assert_eq!(message("p"), "is 1.5: it must lie between 0 and 1");
        assert_eq!(message("interval"), "is 3: a time such as \"500ms\" is wanted");
        assert_eq!(message("colour"), "\"gren\" is no choice here: did you mean \"green\"?");
        assert_eq!(message("w"), "is \"fast\": a number or \"auto\" is wanted");
        assert_eq!(message("targte"), "\"targte\" is no parameter here: did you mean \"target\"?");
        assert_eq!(faults.len(), 5);
    }

    #[test]
    fn what_is_not_finite_is_refused() {
        assert!(read(&[("p", Value::Number(f64::NAN))]).is_err());
        assert!(read(&[("target", Value::Bytes(f64::INFINITY))]).is_err());
    }

    #[test]
    fn an_owner_adds_replaces_and_redefaults() {
        const OWN: &[ParamInfo] = &[ParamInfo { name: "p", ..TestParams::INFO[1] }];
        const ALL: [ParamInfo; inherited_len(OWN, TestParams::INFO)] =
            inherit(OWN, TestParams::INFO, &[("colour", Default::Text("green"))]);
        assert_eq!(ALL.map(|info| info.name), ["p", "interval", "w", "colour", "target", "in"]);
        assert_eq!(ALL[0].kind, Kind::Time);
        assert_eq!(ALL[3].default, Default::Text("green"));
    }
}
