//! Classes for the schedulers: a packet belongs to the first that it matches.

use super::{Item, LinkInfo, Settings};
use penstock_core::Limit;
use penstock_core::param::{ClassSetting, Match, Value};

/// Three classes with these settings: codepoint 46, codepoint 10, and the rest.
pub fn three(settings: [Vec<(&str, Value)>; 3]) -> Value {
    let matches = [vec![46], vec![10], vec![]];
    let class = |(i, (settings, dscp)): (usize, (Vec<(&str, Value)>, Vec<u8>))| ClassSetting {
        name: format!("class{i}"),
        matches: Match { dscp, ..Match::default() },
        settings: settings.into_iter().map(|(name, value)| (name.to_string(), value)).collect(),
        queue: None,
    };
    Value::Classes(settings.into_iter().zip(matches).enumerate().map(class).collect())
}

/// The settings of a class, by name.
pub struct Classes {
    pub given: Vec<Vec<(String, Value)>>,
    pub limit: Limit,
}

impl Classes {
    pub fn new(s: &Settings, link: &LinkInfo) -> Self {
        let classes = match s.0.iter().find(|(name, _)| *name == "classes") {
            Some((_, Value::Classes(classes))) => classes.clone(),
            _ => vec![],
        };
        Self { given: classes.into_iter().map(|class| class.settings).collect(), limit: link.limit }
    }

    pub fn number(&self, class: usize, name: &str) -> Option<f64> {
        self.given[class].iter().find(|(given, _)| given == name).and_then(|(_, value)| value.number())
    }

    pub fn of(item: &Item) -> usize {
        match item.meta.dscp {
            46 => 0,
            10 => 1,
            _ => 2,
        }
    }

    /// Whether the shared limit and the class's own have room.
    pub fn has_room<'a>(&self, item: &Item, waiting: impl Iterator<Item = &'a Item>) -> bool {
        let (mut packets, mut bytes, mut own) = (0, 0, 0.0);
        for other in waiting {
            packets += 1;
            bytes += u64::from(other.size);
            own += if Self::of(other) == Self::of(item) { 1.0 } else { 0.0 };
        }
        let class_full = !self.given.is_empty() && self.number(Self::of(item), "limit").is_some_and(|most| own >= most);
        self.limit.admits(packets, bytes, item.size) && !class_full
    }
}
