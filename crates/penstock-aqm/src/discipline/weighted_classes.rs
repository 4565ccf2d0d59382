//! Classes with a weight or a share each, as in WFQ, WF2Q and SCFQ.

use super::class_queue::{Guarantee, Store};
use super::classes::{self, ClassPlan, check_shares};
use super::scheduler::{Order, Scheduler, Sorting};
use super::{Discipline, Probe};
use crate::class_settings::{self, path};
use crate::edge::match_rules::Classifier;
use crate::scheme::Site;
use alloc::boxed::Box;
use alloc::vec::Vec;
use penstock_core::Packet;
use penstock_core::param::{ClassSetting, Default, Length, ParamError, ParamErrors, Settings};

penstock_core::params! {
    /// Parameters of a scheduler that has no parameters but its classes.
    pub struct ClassesParams {
        /// The classes, in the order in which their filters are tried.
        classes: Vec<ClassSetting> = Default::Required;
    }
}

penstock_core::params! {
    /// Parameters of a class with a weight.
    pub struct WeightedClassParams {
        /// Weight of the class: its share of the link is its weight divided by the sum of the weights of the backlogged
        /// classes. Default: 1, unless share is given.
        weight: Option<f64> = Default::Absent, range: 0.000_001..=1_000_000.0;
        /// Share of the link, instead of a weight; to be given for all classes, with a sum of at most 1.
        share: Option<f64> = Default::Absent, range: 0.000_001..=1.0;
        /// Limit of the class's own queue, in addition to the shared limit.
        limit: Option<Length> = Default::Absent, unit: "packets", at_least: 0.0;
    }
}

penstock_core::params! {
    /// Parameters of a class with a share.
    pub struct SharedClassParams {
        /// Share of the link's rate; the sum over all classes is at most 1.
        share: f64 = Default::Required, range: 0.000_001..=1.0;
        /// Limit of the class's own queue, in addition to the shared limit.
        limit: Option<Length> = Default::Absent, unit: "packets", at_least: 0.0;
    }
}

/// The classes in the settings of a scheme that has no other parameters.
pub(super) fn read_classes(settings: &Settings) -> Result<Vec<ClassSetting>, ParamErrors> {
    let params = ClassesParams::from_settings(settings)?;
    Ok(params.classes)
}

/// A class with its phi.
struct Weighted {
    phi: f64,
    limit: Option<Length>,
}

/// A scheduler of classes that each have a weight or a share; `order` builds its order from the weights.
pub(super) fn build_weighted<P: Packet + Send + 'static, W: Probe<P> + ?Sized, O: Order + 'static>(
    settings: &Settings,
    site: &Site<'_>,
    order: impl FnOnce(&[f64]) -> O,
) -> Result<Box<dyn Discipline<P, W>>, ParamErrors> {
    let classes = read_classes(settings)?;
    let mut errors = Vec::new();
    let read = class_settings::read::<WeightedClassParams>(&classes, WeightedClassParams::INFO, &mut errors);
    let weighted = read.map(|params| phis(params, &mut errors)).unwrap_or_default();
    build(&classes, &weighted, Store::fifo, site, errors, order)
}

/// A scheduler of classes that each have a share; `order` builds its order from the shares.
pub(super) fn build_shared<P: Packet + Send + 'static, W: Probe<P> + ?Sized, O: Order + 'static>(
    settings: &Settings,
    site: &Site<'_>,
    store: fn() -> Store,
    order: impl FnOnce(&[f64]) -> O,
) -> Result<Box<dyn Discipline<P, W>>, ParamErrors> {
    let classes = read_classes(settings)?;
    let mut errors = Vec::new();
    let read = class_settings::read::<SharedClassParams>(&classes, SharedClassParams::INFO, &mut errors);
    let shared = read.unwrap_or_default();
    check_shares(shared.iter().map(|class| class.share), &mut errors);
    let weighted: Vec<_> = shared.into_iter().map(|class| Weighted { phi: class.share, limit: class.limit }).collect();
    build(&classes, &weighted, store, site, errors, order)
}

fn build<P: Packet + Send + 'static, W: Probe<P> + ?Sized, O: Order + 'static>(
    classes: &[ClassSetting],
    weighted: &[Weighted],
    store: fn() -> Store,
    site: &Site<'_>,
    errors: ParamErrors,
    order: impl FnOnce(&[f64]) -> O,
) -> Result<Box<dyn Discipline<P, W>>, ParamErrors> {
    let sum: f64 = weighted.iter().map(|class| class.phi).sum();
    let plans = weighted.iter().map(|class| ClassPlan {
        store: store(),
        limit: class.limit,
        guarantee: Guarantee::Share(class.phi / sum),
    });
    let queues = classes::queues(classes, plans, site, errors)?;
    let phis: Vec<f64> = weighted.iter().map(|class| class.phi).collect();
    let sorting = Sorting::Classes(Classifier::new(classes.iter().map(|class| &class.matches)));
    Ok(Box::new(Scheduler::new(queues, sorting, order(&phis), site.link.limit)))
}

/// The weights, or the shares where these are given.
fn phis(params: Vec<WeightedClassParams>, errors: &mut ParamErrors) -> Vec<Weighted> {
    let by_share = params.iter().any(|class| class.share.is_some());
    for (i, class) in params.iter().enumerate() {
        if by_share && class.share.is_none() {
            let message = "is missing: other classes have one, and weights and shares cannot be mixed";
            errors.push(ParamError::new(path(i, "share"), message));
        }
        if by_share && class.weight.is_some() {
            errors.push(ParamError::new(
                path(i, "weight"),
                "must not be given together with a share: weights and shares cannot be mixed",
            ));
        }
    }
    check_shares(params.iter().filter_map(|class| class.share), errors);
    let weighted =
        |class: WeightedClassParams| Weighted { phi: class.share.or(class.weight).unwrap_or(1.0), limit: class.limit };
    params.into_iter().map(weighted).collect()
}
