//! Conversion of settings to parameters; all errors are collected.

use super::{FromValue, Kind, ParamError, ParamErrors, ParamInfo, Settings, Value, nearest};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Defines a struct of parameters together with the data that describes them.
///
/// Each field has a doc comment, a type that is [`FromValue`], a [`Default`](super::Default), and where it makes sense a
/// unit and a range (`range: 0.0..=1.0` or `at_least: 0.0`). `key` gives the name for users where the field's name must
/// differ, as it would be a keyword of Rust. The struct gets `INFO`, the list of [`ParamInfo`], `from_settings`, and
/// [`Params`].
///
/// Defaults may depend on a profile, an enum: in `struct X by Profile` a field may override its default,
/// `window: u32 = Default::Number(20.0), in Linux: Default::Number(4096.0)`. Instead of `INFO` and `from_settings` the
/// struct then gets `info`, the list of [`ParamInfo`] for one profile.
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
        $crate::params!(@struct $(#[$meta])* $vis struct $struct { $($(#[doc = $doc])+ $name: $type $(, key: $key)?;)+ });

        impl $struct {
            /// The description of each parameter.
            pub const INFO: &'static [$crate::param::ParamInfo] = &[$($crate::param::ParamInfo {
                name: $crate::params!(@name $name $($key)?),
                doc: concat!($($doc),+).trim_ascii(),
                unit: concat!($($unit)?),
                kind: <$type as $crate::param::FromValue>::KIND,
                words: <$type as $crate::param::FromValue>::WORDS,
                default: $default,
                range: $crate::params!(@range $($low, $high)? $($least, f64::MAX)?),
            }),+];

            /// The parameters in these settings, for a mechanism that has no other parameters; all errors if any is
            /// rejected.
            #[allow(dead_code, reason = "a mechanism that owns another reads the settings of both")]
            pub fn from_settings(settings: &$crate::param::Settings) -> Result<Self, $crate::param::ParamErrors> {
                $crate::param::read(settings, Self::INFO)
            }
        }
    };
    ($(#[$meta:meta])* $vis:vis struct $struct:ident by $profile:ident { $(
        $(#[doc = $doc:literal])+
        $name:ident: $type:ty = $default:expr $(, in $($in:ident)|+: $other:expr)* $(, unit: $unit:literal)?
        $(, range: $low:literal..=$high:literal)?;
    )+ }) => {
        $crate::params!(@struct $(#[$meta])* $vis struct $struct { $($(#[doc = $doc])+ $name: $type;)+ });

        impl $struct {
            /// The description of each parameter, with its default in `profile`.
            pub fn info(profile: $profile) -> [$crate::param::ParamInfo; [$(stringify!($name)),+].len()] {
                [$($crate::param::ParamInfo {
                    name: stringify!($name),
                    doc: concat!($($doc),+).trim_ascii(),
                    unit: concat!($($unit)?),
                    kind: <$type as $crate::param::FromValue>::KIND,
                    words: <$type as $crate::param::FromValue>::WORDS,
                    default: match profile {
                        $($($profile::$in)|+ => $other,)*
                        #[allow(unreachable_patterns, reason = "some parameters list every profile")]
                        _ => $default,
                    },
                    range: $crate::params!(@range $($low, $high)?),
                }),+]
            }
        }
    };
    (@struct $(#[$meta:meta])* $vis:vis struct $struct:ident { $(
        $(#[doc = $doc:literal])+
        $name:ident: $type:ty $(, key: $key:literal)?;
    )+ }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        $vis struct $struct { $($(#[doc = $doc])+ pub $name: $type,)+ }

        impl $crate::param::Params for $struct {
            fn read(reader: &mut $crate::param::Reader<'_>) -> Option<Self> {
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

/// Parameters that can be read from settings: structs defined by `params!`, and pairs of them.
pub trait Params: Sized {
    /// The parameters in `reader`; `None` if one was rejected. Always reads all of them, so that every error is found.
    fn read(reader: &mut Reader<'_>) -> Option<Self>;
}

impl<A: Params, B: Params> Params for (A, B) {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let (a, b) = (A::read(reader), B::read(reader));
        Some((a?, b?))
    }
}

/// The parameters `T` of a mechanism that takes the parameters in `infos`; all errors if any setting is rejected.
pub fn read<T: Params>(settings: &Settings, infos: &[ParamInfo]) -> Result<T, ParamErrors> {
    read_with(settings, infos, T::read)
}

/// Like [`read()`], for a mechanism that derives values or checks parameters against each other; `f` reads the
/// parameters that it needs, and may reject more of them.
pub fn read_with<T>(
    settings: &Settings,
    infos: &[ParamInfo],
    f: impl FnOnce(&mut Reader<'_>) -> Option<T>,
) -> Result<T, ParamErrors> {
    let mut reader = Reader::new(settings, infos);
    match f(&mut reader) {
        Some(params) if reader.errors.is_empty() => Ok(params),
        _ => Err(reader.errors),
    }
}

/// Reads parameters from settings and collects all errors: unknown and repeated names, values of the wrong kind or out
/// of range.
pub struct Reader<'a> {
    settings: &'a Settings,
    infos: &'a [ParamInfo],
    derived: Vec<(&'static str, Value)>,
    errors: ParamErrors,
}

impl<'a> Reader<'a> {
    fn new(settings: &'a Settings, infos: &'a [ParamInfo]) -> Self {
        let mut errors = Vec::new();
        for (i, (name, _)) in settings.iter().enumerate() {
            if !infos.iter().any(|info| info.name == name) {
                errors.push(ParamError::new(name, unknown("parameter", name, infos.iter().map(|info| info.name))));
            } else if settings[..i].iter().any(|(earlier, _)| earlier == name) {
                errors.push(ParamError::new(name, "is set twice"));
            }
        }
        Self { settings, infos, derived: Vec::new(), errors }
    }

    /// Override a parameter, for a mechanism that computes a parameter of the AQM that it owns.
    pub fn derive(&mut self, name: &'static str, value: Value) {
        self.derived.push((name, value));
    }

    /// The parameters of one struct.
    pub fn params<T: Params>(&mut self) -> Option<T> {
        T::read(self)
    }

    /// The value of one parameter: derived, given, or its default. `None` if it was rejected.
    pub fn read<T: FromValue>(&mut self, name: &'static str) -> Option<T> {
        if let Some((_, value)) = self.derived.iter().find(|(derived, _)| *derived == name) {
            return T::from_value(value);
        }
        let info = self.infos.iter().find(|info| info.name == name)?;
        let given = self.settings.iter().find(|(given, _)| given == name).map(|(_, value)| value.clone());
        let Some(value) = given.or_else(|| info.default_value()) else {
            if let Some(absent) = T::absent() {
                return Some(absent);
            }
            self.refuse(name, format!("is missing: expected {}", info.kind.wanted()));
            return None;
        };
        match check(info, &value).and_then(|()| T::from_value(&value).ok_or_else(|| wrong_kind(info, &value))) {
            Ok(value) => Some(value),
            Err(message) => {
                self.refuse(name, message);
                None
            }
        }
    }

    /// Reject a parameter; `message` completes the sentence "NAME ...".
    pub fn refuse(&mut self, name: &str, message: impl Into<String>) {
        self.errors.push(ParamError::new(name, message));
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
                format!("must be at least {low}{unit}")
            } else {
                format!("must lie between {low} and {high}{unit}")
            })
        }
        _ => Ok(()),
    }
}

fn wrong_kind(info: &ParamInfo, value: &Value) -> String {
    match (info.kind, value) {
        (Kind::Choice(words), Value::Text(word)) => unknown("choice", word, words.iter().copied()),
        (Kind::Choice(words), _) => format!("must be one of {}", quoted(words.iter().copied())),
        (kind, _) if info.words.is_empty() => format!("must be {}", kind.wanted()),
        (kind, _) => {
            format!("must be {} or {}", kind.wanted(), quoted(info.words.iter().copied()))
        }
    }
}

/// The message for a name that is not among `known`.
fn unknown<'a>(what: &str, word: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    if let Some(right) = nearest(word, known.clone()) {
        format!("unknown {what} \"{word}\": did you mean \"{right}\"?")
    } else if known.clone().next().is_none() {
        format!("unknown {what} \"{word}\": there are none")
    } else {
        format!("unknown {what} \"{word}\": expected one of {}", quoted(known))
    }
}

fn quoted<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
#[expect(unreachable_pub, reason = "the macros under test make public items")]
mod tests {
    use super::*;
    use crate::param::{Auto, Default, Length, LengthOrTime, inherit, inherited_len};
    use crate::time::Span;

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

    crate::choice! {
        /// Bundles of defaults.
        pub enum Bundle {
            /// Small values.
            Small = "small" | false,
            /// Middling values.
            Middle = "middle",
            /// Large values.
            Large = "large" | true,
        }
    }

    crate::params! {
        /// Parameters with defaults by bundle.
        pub struct ByBundle by Bundle {
            /// The same everywhere.
            p: f64 = Default::Number(0.5), range: 0.0..=1.0;
            /// Small is different.
            n: u32 = Default::Number(7.0), in Small: Default::Number(3.0), unit: "packets";
            /// Another bundle.
            bundle: Bundle = Default::Text("small"), in Large | Middle: Default::Text("large");
        }
    }

    #[test]
    fn defaults_follow_the_profile() {
        let of = |bundle, settings: &super::Settings| super::read::<ByBundle>(settings, &ByBundle::info(bundle));
        let bundles = [Bundle::Small, Bundle::Middle, Bundle::Large];
        assert_eq!(bundles.map(Bundle::word), ["small", "middle", "large"]);
        let all = bundles.map(|bundle| of(bundle, &[]).unwrap());
        assert_eq!(all.clone().map(|params| params.n), [3, 7, 7]);
        assert_eq!(all.map(|params| params.bundle), [Bundle::Small, Bundle::Large, Bundle::Large]);
        let given = |value| of(Bundle::Small, &[("bundle".into(), value)]);
        assert_eq!(given(Value::Flag(true)).unwrap().bundle, Bundle::Large);
        assert_eq!(given(Value::Flag(false)).unwrap().bundle, Bundle::Small);
        assert_eq!(ByBundle::info(Bundle::Small)[1].unit, "packets");
        assert!(of(Bundle::Large, &[("p".into(), Value::Number(2.0))]).is_err());
    }

    fn read(settings: &[(&str, Value)]) -> Result<TestParams, ParamErrors> {
        let settings: Vec<_> = settings.iter().map(|(name, value)| ((*name).into(), value.clone())).collect();
        TestParams::from_settings(&settings)
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
    fn all_errors_are_reported_at_once() {
        let errors = read(&[
            ("p", Value::Number(1.5)),
            ("interval", Value::Number(3.0)),
            ("colour", Value::Text("gren".into())),
            ("w", Value::Text("fast".into())),
            ("targte", Value::Number(1.0)),
        ])
        .unwrap_err();
        let message = |name: &str| &errors.iter().find(|error| error.name == name).unwrap().message;
        assert_eq!(message("p"), "must lie between 0 and 1");
        assert_eq!(message("interval"), "must be a time such as \"500ms\"");
        assert_eq!(message("colour"), "unknown choice \"gren\": did you mean \"green\"?");
        assert_eq!(message("w"), "must be a number or \"auto\"");
        assert_eq!(message("targte"), "unknown parameter \"targte\": did you mean \"target\"?");
        assert_eq!(errors.len(), 5);
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
