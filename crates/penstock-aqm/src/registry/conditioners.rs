//! Conditioners, and the shapers that may be used among them, by name.

use super::{build, find};
use crate::aqm::LinkInfo;
use crate::edge::conditioned_queue::Stage;
use crate::edge::{Conditioner, ConditionerInfo, Part};
use crate::scheme::SchemeInfo;
use alloc::boxed::Box;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use penstock_core::param::{ParamError, ParamErrors, Settings, nearest};
use penstock_core::{Limit, Packet, Time};

/// Builds one conditioner.
type BuildConditioner = fn(&Settings, &LinkInfo, Time) -> Result<Box<dyn Conditioner>, ParamErrors>;

fn boxed<C: Part>(settings: &Settings, link: &LinkInfo, now: Time) -> Result<Box<dyn Conditioner>, ParamErrors> {
    Ok(Box::new(C::from_settings(settings, link, now)?))
}

/// The list of all conditioners.
macro_rules! conditioners {
    ($($part:path),+ $(,)?) => {
        static CONDITIONERS: &[ConditionerInfo] = &[$(<$part as Part>::INFO),+];

        fn builder(name: &str) -> Option<BuildConditioner> {
            $(if name == <$part as Part>::INFO.name {
                return Some(boxed::<$part>);
            })+
            None
        }
    };
}

conditioners! {
    crate::edge::tsw::Tsw,
    crate::edge::token_bucket::TokenBucket,
    crate::edge::car::Car,
    crate::edge::srtcm::SrTcm,
    crate::edge::trtcm::TrTcm,
    crate::edge::policer::Policer,
    crate::edge::classify::Classify,
}

/// The schemes that may be used among the conditioners: they hold packets, and drop one only if there is no room.
const SHAPERS: [&str; 2] = ["shaper", "ras"];

/// The descriptions of all conditioners.
pub fn conditioners() -> &'static [ConditionerInfo] {
    CONDITIONERS
}

/// The conditioner of this name or alias. Case, and the difference between hyphen and underscore, are ignored.
pub fn find_conditioner(name: &str) -> Option<&'static ConditionerInfo> {
    let folded = name.to_ascii_lowercase().replace('_', "-");
    CONDITIONERS.iter().find(|info| info.name == folded || info.aliases.contains(&folded.as_str()))
}

/// The schemes that may be used among the conditioners.
pub fn shapers() -> impl Iterator<Item = &'static SchemeInfo> {
    SHAPERS.into_iter().filter_map(find)
}

/// The conditioner or shaper of this name with these settings in front of this link; all errors if some settings are
/// refused.
///
/// A shaper holds up to `limit`, which has no meaning for a conditioner.
pub fn build_stage<P: Packet + Clone + Send + 'static>(
    kind: &str,
    settings: &Settings,
    limit: Limit,
    link: &LinkInfo,
    now: Time,
) -> Result<Stage<P>, ParamErrors> {
    if let Some(info) = find(kind).filter(|info| SHAPERS.contains(&info.name)) {
        return build(info.name, settings, &LinkInfo { limit, ..*link }, now).map(Stage::Shaper);
    }
    let Some(build) = find_conditioner(kind).and_then(|info| builder(info.name)) else {
        return Err(vec![unknown(kind)]);
    };
    build(settings, link, now).map(Stage::Conditioner)
}

fn unknown(kind: &str) -> ParamError {
    let names = CONDITIONERS.iter().flat_map(|info| info.aliases.iter().chain([&info.name])).copied();
    let message = if let Some(near) = nearest(kind, names.chain(SHAPERS)) {
        let name = find_conditioner(near).map_or(near, |info| info.name);
        format!("unknown conditioner \"{kind}\": did you mean \"{name}\"?")
    } else {
        let names: Vec<&str> = CONDITIONERS.iter().map(|info| info.name).chain(SHAPERS).collect();
        format!("unknown conditioner \"{kind}\": expected one of {}", names.join(", "))
    };
    ParamError::new("kind", message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edge::bench::try_bench;
    use penstock_core::PacketMeta;
    use penstock_core::param::Value;

    #[test]
    fn every_file_of_a_conditioner_is_registered_under_its_name_and_documented() {
        let mut files = Vec::new();
        for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/edge")).unwrap() {
            let path = entry.unwrap().path();
            if std::fs::read_to_string(&path).unwrap().contains("ConditionerInfo = ConditionerInfo {") {
                files.push(path.file_stem().unwrap().to_str().unwrap().replace('_', "-"));
            }
        }
        let mut names: Vec<&str> = conditioners().iter().map(|info| info.name).collect();
        files.sort_unstable();
        names.sort_unstable();
        assert_eq!(files, names);
        for info in conditioners() {
            for heading in ["# Rule\n", "# Parameters\n", "# Differences\n"] {
                assert!(info.doc.contains(heading), "{} lacks {heading}", info.name);
            }
            assert!(info.params.iter().all(|param| param.doc.ends_with('.')), "{}", info.name);
            for name in info.aliases.iter().chain([&info.name]) {
                assert_eq!(find_conditioner(name).unwrap().name, info.name);
            }
        }
    }

    #[test]
    fn errors_name_the_parameter_and_the_nearest_right_word() {
        let error = |kind, settings: &[(&str, Value)]| {
            let Err(errors) = try_bench(kind, settings) else { panic!("{kind} takes it") };
            format!("{} {}", errors[0].name, errors[0].message)
        };
        let rate = ("rate", Value::Number(1e6));
        assert_eq!(error("tswt", &[]), "kind unknown conditioner \"tswt\": did you mean \"tsw\"?");
        assert_eq!(error("tsw", &[]), "rate is missing: expected a rate such as \"1Mbit\"");
        let misspelt = [rate.clone(), ("in", Value::Text("AF1".into()))];
        assert_eq!(error("tsw", &misspelt), "in unknown choice \"AF1\": did you mean \"AF11\"?");
        assert!(error("tsw", &[rate, ("inn", Value::Number(1.0))]).ends_with("did you mean \"in\"?"));
    }

    #[test]
    fn shapers_are_named_among_the_conditioners() {
        let error = |kind: &str| match build_stage::<PacketMeta>(
            kind,
            &[],
            Limit::Infinite,
            &crate::rig::thesis_link(),
            Time::ZERO,
        ) {
            Err(errors) => errors[0].message.clone(),
            Ok(_) => alloc::string::String::new(),
        };
        assert!(error("shapr").ends_with("did you mean \"shaper\"?"));
        assert!(
            error("red")
                .contains("expected one of tsw, token-bucket, car, srtcm, trtcm, policer, classify, shaper, ras")
        );
        assert_eq!(shapers().count(), 2);
    }
}
