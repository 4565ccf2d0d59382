//! Each arrival is dropped or marked with probability p; a number is drawn for each.

use super::{AqmScheme, Given, Item, LinkInfo, Oracle, Queue, Say, Settings, flag, guarded, number};
use penstock_aqm::Cause;
use penstock_core::Rng;

pub fn settings() -> Vec<Given> {
    [0.0, 0.05, 0.5, 1.0]
        .iter()
        .flat_map(|&p| [false, true].map(|ecn| vec![("p", number(p)), ("ecn", flag(ecn))]))
        .collect()
}

struct Bernoulli {
    p: f64,
    ecn: bool,
}

impl AqmScheme for Bernoulli {
    fn arrival(&mut self, _queue: &Queue, _item: &Item, rng: &mut Rng) -> Say {
        match rng.uniform() < self.p {
            false => Say::Pass,
            true if self.ecn => Say::Mark(Cause::Early),
            true => Say::Drop(Cause::Early),
        }
    }
}

pub fn oracle(settings: &Settings, link: &LinkInfo) -> Box<dyn Oracle> {
    guarded(Bernoulli { p: settings.number("p", f64::NAN), ecn: settings.flag("ecn", false) }, link)
}
