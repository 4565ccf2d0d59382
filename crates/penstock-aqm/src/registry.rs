//! All schemes by name. Adding a law is its file and one line here.

use crate::aqm::{Aqm, LinkInfo};
use crate::discipline::Discipline;
use crate::discipline::fifo::Fifo;
use crate::law::Law;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use penstock_core::Packet;
use penstock_core::param::{ParamError, ParamInfo, Value, nearest};

/// A scheme that the registry can describe and build.
pub trait Scheme {
    /// What there is to say about it.
    const INFO: SchemeInfo;

    /// The queue with these settings on this link; all faults if some are refused.
    fn build<P: Packet + Send + 'static>(
        settings: &[(String, Value)],
        link: &LinkInfo,
    ) -> Result<Box<dyn Discipline<P>>, Vec<ParamError>>;
}

/// A law guards a first-in-first-out queue.
impl<L: Law> Scheme for L {
    const INFO: SchemeInfo = <L as Law>::INFO;

    fn build<P: Packet + Send + 'static>(
        settings: &[(String, Value)],
        link: &LinkInfo,
    ) -> Result<Box<dyn Discipline<P>>, Vec<ParamError>> {
        Ok(Box::new(Fifo::new(L::from_settings(settings, link)?, link.limit)))
    }
}

/// The list of all schemes: `laws`, which guard one queue and may guard that of a class, and `disciplines`.
macro_rules! schemes {
    (laws: [$($law:path),+ $(,)?], disciplines: [$($discipline:path),* $(,)?] $(,)?) => {
        static SCHEMES: &[SchemeInfo] = &[$(<$law as Scheme>::INFO,)+ $(<$discipline as Scheme>::INFO),*];

        fn build_named<P: Packet + Send + 'static>(
            name: &str,
            settings: &[(String, Value)],
            link: &LinkInfo,
        ) -> Result<Box<dyn Discipline<P>>, Vec<ParamError>> {
            $(if name == <$law as Scheme>::INFO.name {
                return <$law as Scheme>::build(settings, link);
            })+
            $(if name == <$discipline as Scheme>::INFO.name {
                return <$discipline as Scheme>::build(settings, link);
            })*
            Err(vec![unknown_scheme(name)])
        }

        fn law_named(name: &str, settings: &[(String, Value)], link: &LinkInfo) -> Result<Box<dyn Aqm>, Vec<ParamError>> {
            $(if name == <$law as Scheme>::INFO.name {
                return Ok(Box::new(<$law as Law>::from_settings(settings, link)?));
            })+
            Err(vec![ParamError::new("scheme", format!("\"{name}\" is no law that can guard the queue of a class"))])
        }
    };
}

schemes! {
    laws: [
        crate::law::droptail::DropTail,
        crate::law::bernoulli::Bernoulli,
        crate::law::red::Red,
        crate::law::ared_floyd::AredFloyd,
        crate::law::ared_feng::AredFeng,
        crate::law::psand::Psand,
        crate::law::qlaw::Qlaw,
        crate::law::blue::Blue,
        crate::law::sred::Sred,
        crate::law::rem::Rem,
        crate::law::dsred::Dsred,
        crate::law::green::Green,
        crate::law::fred::Fred,
        crate::law::sfb::Sfb,
        crate::law::xred::Xred,
        crate::law::fb_red::FbRed,
        crate::law::bred::Bred,
        crate::law::rio::Rio,
        crate::law::wred::Wred,
        crate::law::wrt::Wrt,
        crate::law::cbt_red::CbtRed,
        crate::law::p::Proportional,
        crate::law::pi::Pi,
        crate::law::avq::Avq,
        crate::law::lred::Lred,
        crate::law::sfc::Sfc,
        crate::law::codel::Codel,
        crate::law::pie::Pie,
        crate::law::pi2::Pi2,
        crate::law::afd::Afd,
        crate::law::curvy_red::CurvyRed,
        crate::law::cobalt::Cobalt,
    ],
    disciplines: [
        crate::discipline::drop_front::DropFrontScheme,
        crate::discipline::push_out::PushOutScheme,
        crate::discipline::drr::Drr,
        crate::discipline::tdrr::Tdrr,
        crate::discipline::qsdrr::Qsdrr,
        crate::discipline::dtdrr::Dtdrr,
        crate::discipline::dsdrr::Dsdrr,
        crate::discipline::sfq::Sfq,
        crate::discipline::wred_dfq::WredDfq,
        crate::discipline::shaper::Shaper,
        crate::discipline::ras::Ras,
        crate::discipline::dualpi2::DualPi2,
        crate::discipline::dual_curvy_red::DualCurvyRed,
        crate::discipline::fq_codel::FqCodel,
        crate::discipline::fq_pie::FqPie,
        crate::discipline::cake::Cake,
        crate::discipline::choke::ChokeScheme,
        crate::discipline::pq::Pq,
        crate::discipline::fq::Fq,
        crate::discipline::cbfq::Cbfq,
        crate::discipline::wfq::Wfq,
        crate::discipline::scfq::Scfq,
        crate::discipline::wf2q::Wf2q,
        crate::discipline::cbq::Cbq,
    ],
}

/// What there is to say about a scheme.
#[derive(Clone, Copy, Debug)]
pub struct SchemeInfo {
    /// The literature's name, in lower case with hyphens.
    pub name: &'static str,
    /// Other names it answers to.
    pub aliases: &'static [&'static str],
    /// What it belongs to: "passive", "probability", "RED", ...
    pub family: &'static str,
    /// The name in full.
    pub title: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// The law in formulas, its parameters and its differences from its sources, as Markdown.
    pub doc: &'static str,
    /// Whether it can mark instead of dropping.
    pub ecn: bool,
    /// Its parameters.
    pub params: &'static [ParamInfo],
    /// Parameters of each of its classes; empty for what has no classes.
    pub class_params: &'static [ParamInfo],
    /// Time and memory, in the number of packets, flows or classes.
    pub cost: &'static str,
    /// The picture that shows it best.
    pub picture: Picture,
    /// What it is good at, from measured results.
    pub good: &'static str,
    /// What it is bad at, from measured results.
    pub bad: &'static str,
}

/// What shows a scheme best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picture {
    /// Its drop probability against the average queue.
    DropFunction,
    /// How it answers, over time, to a load that steps above the link's rate and back.
    Response,
    /// In which order it serves flows or classes that are all backlogged.
    Service,
}

/// All schemes.
pub fn schemes() -> &'static [SchemeInfo] {
    SCHEMES
}

/// The scheme of this name or alias; hyphen and underscore are the same, and so are capital and small letters.
pub fn find(name: &str) -> Option<&'static SchemeInfo> {
    let folded = name.to_ascii_lowercase().replace('_', "-");
    SCHEMES.iter().find(|scheme| scheme.name == folded || scheme.aliases.contains(&folded.as_str()))
}

/// The queue of the scheme of this name with these settings; all faults if some are refused.
///
/// The limit of the queue is `link.limit`.
pub fn build<P: Packet + Send + 'static>(
    scheme: &str,
    settings: &[(String, Value)],
    link: &LinkInfo,
) -> Result<Box<dyn Discipline<P>>, Vec<ParamError>> {
    let Some(info) = find(scheme) else { return Err(vec![unknown_scheme(scheme)]) };
    build_named(info.name, settings, link).map_err(|faults| as_seen_by_user(faults, info, settings))
}

/// The law of this name with these settings, for the queue of a class that sees `link` as its own; all faults if some
/// are refused, or if the name is that of a discipline.
pub fn build_law(scheme: &str, settings: &[(String, Value)], link: &LinkInfo) -> Result<Box<dyn Aqm>, Vec<ParamError>> {
    let Some(info) = find(scheme) else { return Err(vec![unknown_scheme(scheme)]) };
    law_named(info.name, settings, link).map_err(|faults| as_seen_by_user(faults, info, settings))
}

/// A default that does not fit the link is a value the user never wrote: say so.
fn as_seen_by_user(faults: Vec<ParamError>, info: &SchemeInfo, settings: &[(String, Value)]) -> Vec<ParamError> {
    let told = |fault: ParamError| {
        let given = settings.iter().any(|(name, _)| *name == fault.name);
        let has_default = info.params.iter().any(|param| param.name == fault.name && param.default_value().is_some());
        if given || !has_default {
            return fault;
        }
        ParamError { message: format!("by default {}", fault.message), ..fault }
    };
    faults.into_iter().map(told).collect()
}

fn unknown_scheme(name: &str) -> ParamError {
    let names = SCHEMES.iter().flat_map(|scheme| scheme.aliases.iter().chain([&scheme.name])).copied();
    let message = if let Some(scheme) = nearest(name, names).and_then(find) {
        format!("\"{name}\" is no scheme: did you mean \"{}\"?", scheme.name)
    } else {
        let names: Vec<&str> = SCHEMES.iter().map(|scheme| scheme.name).collect();
        format!("\"{name}\" is no scheme: there are {}", names.join(", "))
    };
    ParamError::new("scheme", message)
}

/// The module documentation at the head of a source file, as Markdown without the comment signs.
macro_rules! module_doc {
    ($file:literal) => {{
        const SOURCE: &str = include_str!($file);
        const DOC: ([u8; SOURCE.len()], usize) = $crate::registry::head_comment(SOURCE);
        const TEXT: &str = match core::str::from_utf8(DOC.0.split_at(DOC.1).0) {
            Ok(text) => text,
            Err(_) => panic!("the documentation is not UTF-8"),
        };
        TEXT
    }};
}
pub(crate) use module_doc;

/// The lines at the head of `source` that begin with `//!`, without it, and their length in bytes.
pub(crate) const fn head_comment<const N: usize>(source: &str) -> ([u8; N], usize) {
    let source = source.as_bytes();
    let mut doc = [0; N];
    let (mut read, mut written) = (0, 0);
    while read + 3 < N && source[read] == b'/' && source[read + 1] == b'/' && source[read + 2] == b'!' {
        read += if source[read + 3] == b' ' { 4 } else { 3 };
        while read < N && source[read] != b'\n' {
            doc[written] = source[read];
            (read, written) = (read + 1, written + 1);
        }
        doc[written] = b'\n';
        (read, written) = (read + 1, written + 1);
    }
    (doc, written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use penstock_core::{Limit, PacketMeta};

    #[test]
    fn names_and_aliases_are_found_however_they_are_written() {
        assert_eq!(find("ARED_Floyd").unwrap().name, "ared-floyd");
        assert_eq!(find("ared").unwrap().name, "ared-floyd");
        assert_eq!(find("pfifo").unwrap().name, "droptail");
        assert!(find("").is_none());
    }

    #[test]
    fn an_unknown_scheme_is_told_the_nearest() {
        assert_eq!(unknown_scheme("psnad").message, "\"psnad\" is no scheme: did you mean \"psand\"?");
        assert!(unknown_scheme("xyzzyx").message.contains("red, ared-floyd, ared-feng, psand"));
    }

    #[test]
    fn a_default_that_does_not_fit_is_called_a_default() {
        let short = LinkInfo { limit: Limit::Packets(10), ..crate::rig::thesis_link() };
        let Err(faults) = build::<PacketMeta>("red", &[], &short) else { panic!("max_th above the limit is taken") };
        let message = "by default is 15 packets: it must not be above the limit of the queue, 10 packets";
        assert_eq!((faults[0].name.as_str(), faults[0].message.as_str()), ("max_th", message));
    }

    #[test]
    fn the_documentation_is_the_head_of_the_file() {
        assert!(find("red").unwrap().doc.starts_with("Random Early Detection (RED).\n"));
        assert!(!find("red").unwrap().doc.contains("//!"));
    }
}
