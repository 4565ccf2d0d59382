//! Classifier and marker.
//! S. Blake et al., "An Architecture for Differentiated Services", RFC 2475, sections 2.3.1 (classifiers) and 2.3.3.2
//! (markers).
//!
//! # Rule
//! The classes are tried in order; the first class whose `match` fits the packet determines the `action`. A packet that
//! matches no class passes unchanged. No random number is drawn.
//!
//! # Parameters
//! Each class has a `match`, all keys of which must fit, and an `action`: "pass", "drop", or a new codepoint. Only the
//! last class may have no match; it takes all remaining packets.
//!
//! # Differences
//! * None. RFC 2475 leaves open the treatment of packets that match no class.

use super::match_rules::Classifier;
use super::{Action, Conditioner, ConditionerInfo, Part};
use crate::aqm::{Cx, LinkInfo};
use crate::capabilities::SideInformation;
use crate::class_settings;
use crate::scheme::module_doc;
use alloc::vec::Vec;
use penstock_core::param::{ClassSetting, Default, Match, ParamError, ParamErrors, Settings};
use penstock_core::{PacketMeta, Time};

penstock_core::params! {
    /// Parameters of the classifier and marker.
    pub struct ClassifyParams {
        /// The classes, in the order in which their filters are tried.
        classes: Vec<ClassSetting> = Default::Required;
    }
}

penstock_core::params! {
    /// Parameters of a class.
    pub struct ClassifyClassParams {
        /// Action on the packets of the class.
        action: Action = Default::Required;
    }
}

/// Classifier and marker.
#[derive(Clone, Debug)]
pub struct Classify {
    classifier: Classifier,
    /// The action of each class, and the action on packets that match none.
    actions: Vec<Action>,
}

impl Classify {
    /// A marker with these classes.
    pub fn new(classes: &[(Match, Action)]) -> Self {
        let rest = (Match::default(), Action::Pass);
        let all = || classes.iter().chain([&rest]);
        Self {
            classifier: Classifier::new(all().map(|(matches, _)| matches)),
            actions: all().map(|&(_, action)| action).collect(),
        }
    }
}

impl Conditioner for Classify {
    fn side_information(&self) -> SideInformation {
        if self.classifier.names_hosts() { SideInformation::HostsAtArrival } else { SideInformation::Unused }
    }

    fn on_packet(&mut self, _cx: &mut Cx<'_>, packet: &PacketMeta) -> Action {
        self.actions[self.classifier.class_of(packet)]
    }

    fn gauges(&self, _show: &mut dyn FnMut(&str, f64)) {}
}

impl Part for Classify {
    const INFO: ConditionerInfo = ConditionerInfo {
        name: "classify",
        aliases: &["classifier"],
        title: "Classifier and marker",
        source: "S. Blake et al., An Architecture for Differentiated Services, RFC 2475, 1998",
        doc: module_doc!("classify.rs"),
        params: ClassifyParams::INFO,
        class_params: ClassifyClassParams::INFO,
    };

    fn from_settings(settings: &Settings, _link: &LinkInfo, _now: Time) -> Result<Self, ParamErrors> {
        let classes = ClassifyParams::from_settings(settings)?.classes;
        let mut errors = Vec::new();
        let read = class_settings::read::<ClassifyClassParams>(&classes, ClassifyClassParams::INFO, &mut errors);
        for (i, class) in classes.iter().enumerate().filter(|(_, class)| class.queue.is_some()) {
            let message = alloc::format!("belongs to a scheduler: class \"{}\" has no queue here", class.name);
            errors.push(ParamError::new(alloc::format!("classes[{i}].queue"), message));
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let actions = read.ok_or_else(Vec::new)?.into_iter().map(|class| class.action);
        let classes: Vec<_> = classes.into_iter().map(|class| class.matches).zip(actions).collect();
        Ok(Self::new(&classes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edge::bench::{bench, try_bench};
    use penstock_core::param::Value;

    fn class(name: &str, matches: Match, action: &str) -> ClassSetting {
        let settings = vec![("action".to_string(), Value::Text(action.to_string()))];
        ClassSetting { name: name.to_string(), matches, settings, queue: None }
    }

    fn small() -> Match {
        Match { size: Some((0, 200)), ..Match::default() }
    }

    fn udp() -> Match {
        Match { protocol: vec![17], ..Match::default() }
    }

    #[test]
    fn the_first_class_that_fits_says_what_is_done() {
        let large = Match { size: Some((1_001, 1_500)), ..Match::default() };
        let classes = vec![class("small", small(), "EF"), class("large", large, "drop"), class("udp", udp(), "CS1")];
        let mut classify = bench("classify", &[("classes", Value::Classes(classes))]);
        assert_eq!([200, 201, 1_000, 1_001].map(|size| classify.mark(0.0, size)), ["EF", "pass", "pass", "drop"]);
    }

    #[test]
    fn what_fits_no_class_passes_as_it_is_unless_the_last_takes_all() {
        let mut one = bench("classify", &[("classes", Value::Classes(vec![class("udp", udp(), "drop")]))]);
        assert_eq!(one.recolour(0.0, 500, "AF11"), "pass");
        let classes = vec![class("udp", udp(), "drop"), class("rest", Match::default(), "AF12")];
        let mut all = bench("classify", &[("classes", Value::Classes(classes))]);
        assert_eq!(all.recolour(0.0, 500, "AF11"), "AF12");
    }

    #[test]
    fn faults_stand_under_their_class() {
        let told = |classes| match try_bench("classify", &[("classes", Value::Classes(classes))]) {
            Err(errors) => errors.into_iter().map(|error| error.name).collect::<Vec<_>>(),
            Ok(_) => Vec::new(),
        };
        assert_eq!(told(vec![class("a", udp(), "EE"), class("b", small(), "EF")]), ["classes[0].action"]);
        assert_eq!(told(vec![class("a", Match::default(), "EF"), class("b", udp(), "EF")]), ["classes[0].match"]);
        let with_queue = ClassSetting { queue: Some(("red".to_string(), vec![])), ..class("a", udp(), "EF") };
        assert_eq!(told(vec![with_queue]), ["classes[0].queue"]);
        assert_eq!(told(vec![]), ["classes"]);
    }
}
