//! All schemes by name. Adding an AQM is its file and one line here.

mod conditioners;

pub use conditioners::{build_stage, conditioners, find_conditioner, shapers};

use crate::aqm::{Aqm, LinkInfo};
use crate::discipline::{Discipline, Probe};
use crate::scheme::{Scheme, SchemeInfo, Site};
use alloc::boxed::Box;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use penstock_core::param::{ParamError, ParamErrors, Settings, Value, nearest};
use penstock_core::{Packet, Time};

/// Builds one scheme.
type BuildScheme<P, W> = fn(&Settings, &Site<'_>) -> Result<Box<dyn Discipline<P, W>>, ParamErrors>;

/// The list of all schemes.
macro_rules! schemes {
    ($($scheme:path),+ $(,)?) => {
        static SCHEMES: &[SchemeInfo] = &[$(<$scheme as Scheme>::INFO),+];

        fn builder<P: Packet + Send + 'static, W: Probe<P> + ?Sized>(name: &str) -> Option<BuildScheme<P, W>> {
            $(if name == <$scheme as Scheme>::INFO.name {
                return Some(<$scheme as Scheme>::build);
            })+
            None
        }
    };
}

schemes! {
    // AQMs: they guard one queue, which may be the queue of a class.
    crate::algorithm::droptail::DropTail,
    crate::algorithm::bernoulli::Bernoulli,
    crate::algorithm::red::Red,
    crate::algorithm::ared_floyd::AredFloyd,
    crate::algorithm::ared_feng::AredFeng,
    crate::algorithm::psand::Psand,
    crate::algorithm::qlaw::Qlaw,
    crate::algorithm::blue::Blue,
    crate::algorithm::sred::Sred,
    crate::algorithm::rem::Rem,
    crate::algorithm::dsred::Dsred,
    crate::algorithm::nonlinear::Nonlinear,
    crate::algorithm::green::Green,
    crate::algorithm::fred::Fred,
    crate::algorithm::sfb::Sfb,
    crate::algorithm::xred::Xred,
    crate::algorithm::fb_red::FbRed,
    crate::algorithm::bred::Bred,
    crate::algorithm::rio::Rio,
    crate::algorithm::wred::Wred,
    crate::algorithm::wrt::Wrt,
    crate::algorithm::cbt_red::CbtRed,
    crate::algorithm::p::Proportional,
    crate::algorithm::pi::Pi,
    crate::algorithm::avq::Avq,
    crate::algorithm::lred::Lred,
    crate::algorithm::sfc::Sfc,
    crate::algorithm::codel::Codel,
    crate::algorithm::pie::Pie,
    crate::algorithm::pi2::Pi2,
    crate::algorithm::afd::Afd,
    crate::algorithm::curvy_red::CurvyRed,
    crate::algorithm::cobalt::Cobalt,
    // Disciplines.
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
}

/// The descriptions of all schemes.
pub fn schemes() -> &'static [SchemeInfo] {
    SCHEMES
}

/// The scheme of this name or alias. Case, and the difference between hyphen and underscore, are ignored.
pub fn find(name: &str) -> Option<&'static SchemeInfo> {
    let folded = name.to_ascii_lowercase().replace('_', "-");
    SCHEMES.iter().find(|scheme| scheme.name == folded || scheme.aliases.contains(&folded.as_str()))
}

/// The queue of the scheme of this name with these settings on this link; all errors if some settings are refused.
///
/// The limit of the queue is `link.limit`. No call may be earlier than `now`. The value of `now` does not affect the
/// behaviour of the queue.
pub fn build<P: Packet + Send + 'static, W: Probe<P> + ?Sized>(
    scheme: &str,
    settings: &Settings,
    link: &LinkInfo,
    now: Time,
) -> Result<Box<dyn Discipline<P, W>>, ParamErrors> {
    let Some((info, build)) = find(scheme).and_then(|info| Some((info, builder(info.name)?))) else {
        return Err(vec![unknown_scheme(scheme)]);
    };
    build(settings, &Site { link, now, build_aqm }).map_err(|errors| name_defaults(errors, info, settings))
}

/// The AQM of this name with these settings, for the queue of a class that sees `link` as its own; all errors if some
/// settings are refused, or if the name is that of a discipline.
pub fn build_aqm(scheme: &str, settings: &Settings, link: &LinkInfo, now: Time) -> Result<Box<dyn Aqm>, ParamErrors> {
    let Some(info) = find(scheme) else { return Err(vec![unknown_scheme(scheme)]) };
    let Some(build) = info.build_aqm else {
        let message = format!("\"{}\" cannot be the AQM of a class", info.name);
        return Err(vec![ParamError::new("scheme", message)]);
    };
    build(settings, link, now).map_err(|errors| name_defaults(errors, info, settings))
}

/// Adds the scheme and its default to the message if the refused value is a default, which the user did not write.
fn name_defaults(errors: ParamErrors, scheme: &SchemeInfo, settings: &Settings) -> ParamErrors {
    let named = |error: ParamError| {
        let given = settings.iter().any(|(name, _)| *name == error.name);
        let info = scheme.params.iter().find(|param| param.name == error.name);
        let Some((info, default)) = info.and_then(|info| Some((info, info.default_value()?))) else { return error };
        if given {
            return error;
        }
        let unit = if matches!(default, Value::Number(_)) { info.unit } else { "" };
        let value = format!("{default} {unit}");
        let message = format!("{} (the default of {} is {})", error.message, scheme.name, value.trim_end());
        ParamError { message, ..error }
    };
    errors.into_iter().map(named).collect()
}

fn unknown_scheme(name: &str) -> ParamError {
    let names = SCHEMES.iter().flat_map(|scheme| scheme.aliases.iter().chain([&scheme.name])).copied();
    let message = if let Some(scheme) = nearest(name, names).and_then(find) {
        format!("unknown scheme \"{name}\": did you mean \"{}\"?", scheme.name)
    } else {
        let names: Vec<&str> = SCHEMES.iter().map(|scheme| scheme.name).collect();
        format!("unknown scheme \"{name}\": expected one of {}", names.join(", "))
    };
    ParamError::new("scheme", message)
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
        assert_eq!(unknown_scheme("psnad").message, "unknown scheme \"psnad\": did you mean \"psand\"?");
        assert!(unknown_scheme("xyzzyx").message.contains("red, ared-floyd, ared-feng, psand"));
    }

    #[test]
    fn a_default_that_does_not_fit_is_called_a_default() {
        let short = LinkInfo { limit: Limit::Packets(10), ..crate::rig::thesis_link() };
        let Err(errors) = build::<PacketMeta, dyn Probe<_>>("red", &[], &short, Time::ZERO) else {
            panic!("max_th above the limit is taken")
        };
        let message = "must not be above the limit of the queue, 10 packets (the default of red is 15 packets)";
        assert_eq!((errors[0].name.as_str(), errors[0].message.as_str()), ("max_th", message));
    }

    #[test]
    fn the_documentation_is_the_head_of_the_file() {
        assert!(find("red").unwrap().doc.starts_with("Random Early Detection (RED).\n"));
        assert!(!find("red").unwrap().doc.contains("//!"));
    }
}
