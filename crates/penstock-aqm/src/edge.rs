//! What stands before a queue: conditioners, which meter packets and mark them anew or drop them.
//!
//! S. Blake et al., "An Architecture for Differentiated Services", RFC 2475, section 2.3. A conditioner keeps no
//! packets; a shaper does, and is a discipline. The parts know of a packet what a law knows, and say what is to be done
//! with it; whoever calls them does it.

pub mod car;
pub mod classifier;
pub mod classify;
mod colour;
pub mod policer;
pub mod srtcm;
pub mod token_bucket;
pub mod trtcm;
pub mod tsw;

use crate::aqm::{Cause, Cx, LinkInfo};
use crate::discipline::edged::Stage;
use crate::registry::{self, SchemeInfo};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use penstock_core::param::{Kind, ParamError, ParamInfo, Setting, Value, nearest};
use penstock_core::{Dscp, Limit, Packet, PacketMeta};

/// What is to be done with a packet before it comes to the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Let it go on as it is.
    Pass,
    /// Let it go on with this codepoint.
    Remark(Dscp),
    /// Drop it.
    Drop(Cause),
}

/// A part before a queue: a marker, a meter, a policer.
pub trait Conditioner: Send {
    /// Whether it asks for [`penstock_core::Rare`] facts; always the same answer.
    fn wants_rare(&self) -> bool {
        false
    }

    /// A packet comes by. Of `cx`, the queue is the one that the packet is on its way to.
    fn on_packet(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) -> Action;

    /// Show the state to a probe, as (name, value): token counts in bytes, rates in bits per second.
    fn gauges(&self, show: &mut dyn FnMut(&str, f64));
}

/// A conditioner that the registry can describe and build.
pub trait Part: Conditioner + Sized + 'static {
    /// What there is to say about it.
    const INFO: ConditionerInfo;

    /// The conditioner with these settings before this link; all faults if some are refused.
    fn from_settings(settings: &[(String, Value)], link: &LinkInfo) -> Result<Self, Vec<ParamError>>;
}

/// What there is to say about a conditioner.
#[derive(Clone, Copy, Debug)]
pub struct ConditionerInfo {
    /// The literature's name, in lower case with hyphens.
    pub name: &'static str,
    /// Other names it answers to.
    pub aliases: &'static [&'static str],
    /// The name in full.
    pub title: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// The rule in formulas, its parameters and its differences from its sources, as Markdown.
    pub doc: &'static str,
    /// Its parameters.
    pub params: &'static [ParamInfo],
    /// Parameters of each of its classes; empty for what has no classes.
    pub class_params: &'static [ParamInfo],
}

/// The list of all conditioners.
macro_rules! parts {
    ($($part:path),+ $(,)?) => {
        static CONDITIONERS: &[ConditionerInfo] = &[$(<$part as Part>::INFO),+];

        fn build_named(
            name: &str,
            settings: &[(String, Value)],
            link: &LinkInfo,
        ) -> Result<Box<dyn Conditioner>, Vec<ParamError>> {
            $(if name == <$part as Part>::INFO.name {
                return Ok(Box::new(<$part as Part>::from_settings(settings, link)?));
            })+
            Err(vec![unknown(name)])
        }
    };
}

parts! {
    tsw::Tsw,
    token_bucket::TokenBucket,
    car::Car,
    srtcm::SrTcm,
    trtcm::TrTcm,
    policer::Policer,
    classify::Classify,
}

/// All conditioners.
pub fn conditioners() -> &'static [ConditionerInfo] {
    CONDITIONERS
}

/// The conditioner of this name or alias; hyphen and underscore are the same, and so are capital and small letters.
pub fn find(name: &str) -> Option<&'static ConditionerInfo> {
    let folded = name.to_ascii_lowercase().replace('_', "-");
    CONDITIONERS.iter().find(|info| info.name == folded || info.aliases.contains(&folded.as_str()))
}

/// The conditioner of this name with these settings, before this link; all faults if some are refused.
pub fn build(
    kind: &str,
    settings: &[(String, Value)],
    link: &LinkInfo,
) -> Result<Box<dyn Conditioner>, Vec<ParamError>> {
    let Some(info) = find(kind) else { return Err(vec![unknown(kind)]) };
    build_named(info.name, settings, link)
}

/// Schemes that may stand among the conditioners: they hold packets, and drop only what finds no room.
const SHAPERS: [&str; 2] = ["shaper", "ras"];

/// The schemes that may stand among the conditioners.
pub fn shapers() -> impl Iterator<Item = &'static SchemeInfo> {
    SHAPERS.into_iter().filter_map(registry::find)
}

/// The conditioner or shaper of this name with these settings, before this link; all faults if some are refused.
///
/// A shaper holds up to `limit`, which means nothing to a conditioner.
pub fn stage<P: Packet + Send + 'static>(
    kind: &str,
    settings: &[(String, Value)],
    limit: Limit,
    link: &LinkInfo,
) -> Result<Stage<P>, Vec<ParamError>> {
    match registry::find(kind).filter(|info| SHAPERS.contains(&info.name)) {
        Some(info) => registry::build(info.name, settings, &LinkInfo { limit, ..*link }).map(Stage::Shaper),
        None => build(kind, settings, link).map(Stage::Conditioner),
    }
}

fn unknown(kind: &str) -> ParamError {
    let names = CONDITIONERS.iter().flat_map(|info| info.aliases.iter().chain([&info.name])).copied();
    let names = names.chain(SHAPERS);
    let message = if let Some(near) = nearest(kind, names) {
        format!("\"{kind}\" is no conditioner: did you mean \"{}\"?", find(near).map_or(near, |info| info.name))
    } else {
        let names: Vec<&str> = CONDITIONERS.iter().map(|info| info.name).chain(SHAPERS).collect();
        format!("\"{kind}\" is no conditioner: there are {}", names.join(", "))
    };
    ParamError::new("kind", message)
}

/// The words for an action: "pass", "drop", and the names of codepoints.
const WORDS: [&str; Dscp::NAMES.len() + 2] = {
    let mut words = ["pass"; Dscp::NAMES.len() + 2];
    words[1] = "drop";
    let mut i = 0;
    while i < Dscp::NAMES.len() {
        words[i + 2] = Dscp::NAMES[i];
        i += 1;
    }
    words
};

/// "pass", "drop", or a codepoint by name or number.
impl Setting for Action {
    const KIND: Kind = Kind::Choice(&WORDS);
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Text(word) if word == "pass" => Some(Self::Pass),
            Value::Text(word) if word == "drop" => Some(Self::Drop(Cause::Policed)),
            _ => Dscp::from_value(value).map(Self::Remark),
        }
    }
}

/// A conditioner on a test bench.
#[cfg(test)]
mod bench {
    use super::{Action, Conditioner, build};
    use crate::aqm::{Backlog, Cx};
    use crate::rig::thesis_link;
    use penstock_core::param::{ParamError, Value};
    use penstock_core::{Dscp, Ecn, PacketMeta, Rng, Time};

    pub(super) struct Bench {
        part: Box<dyn Conditioner>,
        rng: Rng,
    }

    pub(super) fn try_bench(kind: &str, settings: &[(&str, Value)]) -> Result<Bench, Vec<ParamError>> {
        let settings: Vec<_> = settings.iter().map(|(name, value)| ((*name).to_string(), value.clone())).collect();
        Ok(Bench { part: build(kind, &settings, &thesis_link())?, rng: Rng::stream(1, "edge") })
    }

    pub(super) fn bench(kind: &str, settings: &[(&str, Value)]) -> Bench {
        try_bench(kind, settings).unwrap()
    }

    impl Bench {
        /// A packet of `size` bytes and codepoint `dscp` at `millis` after the start.
        pub(super) fn pass(&mut self, millis: f64, size: u32, dscp: &str) -> Action {
            let now = Time::from_nanos((millis * 1e6) as u64);
            let limit = thesis_link().limit;
            let queue = Backlog { packets: 0, bytes: 0, limit, oldest: None };
            let dscp = Dscp::from_name(dscp).unwrap().number();
            let packet = PacketMeta { flow: 0, size, ecn: Ecn::Not, dscp, protocol: 6, rare: None };
            self.part.on_packet(&mut Cx { now, queue, link_bytes: 0, rng: &mut self.rng }, &packet)
        }

        /// What becomes of it: the name of its codepoint, "pass" or "drop".
        pub(super) fn mark(&mut self, millis: f64, size: u32) -> &'static str {
            self.recolour(millis, size, "default")
        }

        pub(super) fn recolour(&mut self, millis: f64, size: u32, dscp: &str) -> &'static str {
            match self.pass(millis, size, dscp) {
                Action::Pass => "pass",
                Action::Remark(dscp) => dscp.name().unwrap(),
                Action::Drop(_) => "drop",
            }
        }

        pub(super) fn gauge(&self, wanted: &str) -> f64 {
            let mut found = None;
            self.part.gauges(&mut |name, value| found = if name == wanted { Some(value) } else { found });
            found.unwrap()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::bench::try_bench;
    use super::*;

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
                assert_eq!(find(name).unwrap().name, info.name);
            }
        }
    }

    #[test]
    fn faults_name_the_parameter_and_the_nearest_right_word() {
        let fault = |kind, settings: &[(&str, Value)]| {
            let Err(faults) = try_bench(kind, settings) else { panic!("{kind} takes it") };
            format!("{} {}", faults[0].name, faults[0].message)
        };
        let rate = ("rate", Value::Number(1e6));
        assert_eq!(fault("tswt", &[]), "kind \"tswt\" is no conditioner: did you mean \"tsw\"?");
        assert_eq!(fault("tsw", &[]), "rate is missing: a rate such as \"1Mbit\" is wanted");
        let misspelt = [rate.clone(), ("in", Value::Text("AF1".into()))];
        assert_eq!(fault("tsw", &misspelt), "in \"AF1\" is no choice here: did you mean \"AF11\"?");
        assert!(fault("tsw", &[rate, ("inn", Value::Number(1.0))]).ends_with("did you mean \"in\"?"));
    }

    #[test]
    fn an_action_is_a_word_or_a_codepoint() {
        let action = |word: &str| Action::from_value(&Value::Text(word.into()));
        assert_eq!(action("pass"), Some(Action::Pass));
        assert_eq!(action("drop"), Some(Action::Drop(Cause::Policed)));
        assert_eq!(action("EF"), Some(Action::Remark(Dscp::EF)));
        assert_eq!(Action::from_value(&Value::Number(46.0)), Some(Action::Remark(Dscp::EF)));
        assert_eq!(action("police"), None);
    }
}
