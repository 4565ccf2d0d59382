//! Traffic conditioners in front of a queue: they meter packets, re-mark them or drop them.
//!
//! S. Blake et al., "An Architecture for Differentiated Services", RFC 2475, section 2.3. A conditioner holds no
//! packets; a shaper does, and is a discipline. A conditioner receives the same facts as an AQM and returns an action,
//! which its caller carries out.

pub mod car;
pub mod classify;
mod colour;
pub mod conditioned_queue;
pub mod match_rules;
pub mod policer;
pub mod srtcm;
pub mod token_bucket;
pub mod trtcm;
pub mod tsw;

use crate::aqm::{Cx, LinkInfo};
use crate::capabilities::SideInformation;
use penstock_core::param::{FromValue, Kind, ParamErrors, ParamInfo, Settings, Value};
use penstock_core::{Dscp, PacketMeta, Time};

/// The action of a conditioner on a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Pass it on unchanged.
    Pass,
    /// Pass it on with this codepoint.
    Remark(Dscp),
    /// Drop it; it is reported with [`crate::Cause::Policed`].
    Drop,
}

/// A marker, meter or policer in front of a queue.
pub trait Conditioner: Send {
    /// The facts that the conditioner reads in addition to the header of a packet; the answer never changes.
    fn side_information(&self) -> SideInformation;

    /// Judge a packet. `cx.queue` is the queue behind the conditioners.
    fn on_packet(&mut self, cx: &mut Cx<'_>, packet: &PacketMeta) -> Action;

    /// Show the state to a probe, as (name, value): token counts in bytes, rates in bits per second.
    fn gauges(&self, show: &mut dyn FnMut(&str, f64));
}

/// A conditioner that the registry can describe and build.
pub trait Part: Conditioner + Sized + 'static {
    /// Its description.
    const INFO: ConditionerInfo;

    /// The conditioner with these settings in front of this link, from `now` on; all errors if some settings are refused.
    fn from_settings(settings: &Settings, link: &LinkInfo, now: Time) -> Result<Self, ParamErrors>;
}

/// The description of a conditioner.
#[derive(Clone, Copy, Debug)]
pub struct ConditionerInfo {
    /// The literature's name, in lower case with hyphens.
    pub name: &'static str,
    /// Aliases of the name.
    pub aliases: &'static [&'static str],
    /// The name in full.
    pub title: &'static str,
    /// The publication that defines the conditioner.
    pub source: &'static str,
    /// The rule in formulas, its parameters and its differences from its sources, as Markdown.
    pub doc: &'static str,
    /// Its parameters.
    pub params: &'static [ParamInfo],
    /// Parameters of each of its classes; empty if it has no classes.
    pub class_params: &'static [ParamInfo],
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
impl FromValue for Action {
    const KIND: Kind = Kind::Choice(&WORDS);
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Text(word) if word == "pass" => Some(Self::Pass),
            Value::Text(word) if word == "drop" => Some(Self::Drop),
            _ => Dscp::from_value(value).map(Self::Remark),
        }
    }
}

/// A conditioner on a test bench.
#[cfg(test)]
pub(crate) mod bench {
    use super::conditioned_queue::Stage;
    use super::{Action, Conditioner};
    use crate::aqm::{Backlog, Cx};
    use crate::registry::build_stage;
    use crate::rig::thesis_link;
    use penstock_core::param::{ParamErrors, Value};
    use penstock_core::{Dscp, Ecn, PacketMeta, Rng, Time};

    pub(crate) struct Bench {
        part: Box<dyn Conditioner>,
        rng: Rng,
    }

    pub(crate) fn try_bench(kind: &str, settings: &[(&str, Value)]) -> Result<Bench, ParamErrors> {
        let settings: Vec<_> = settings.iter().map(|(name, value)| ((*name).to_string(), value.clone())).collect();
        let link = thesis_link();
        let Stage::Conditioner(part) = build_stage::<PacketMeta>(kind, &settings, link.limit, &link, Time::ZERO)?
        else {
            panic!("{kind} holds packets")
        };
        Ok(Bench { part, rng: Rng::stream(1, "edge") })
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

        /// The action on the packet: the name of its new codepoint, "pass" or "drop".
        pub(super) fn mark(&mut self, millis: f64, size: u32) -> &'static str {
            self.recolour(millis, size, "default")
        }

        pub(super) fn recolour(&mut self, millis: f64, size: u32, dscp: &str) -> &'static str {
            match self.pass(millis, size, dscp) {
                Action::Pass => "pass",
                Action::Remark(dscp) => dscp.name().unwrap(),
                Action::Drop => "drop",
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
    use super::*;

    #[test]
    fn an_action_is_a_word_or_a_codepoint() {
        let action = |word: &str| Action::from_value(&Value::Text(word.into()));
        assert_eq!(action("pass"), Some(Action::Pass));
        assert_eq!(action("drop"), Some(Action::Drop));
        assert_eq!(action("EF"), Some(Action::Remark(Dscp::EF)));
        assert_eq!(Action::from_value(&Value::Number(46.0)), Some(Action::Remark(Dscp::EF)));
        assert_eq!(action("police"), None);
    }
}
