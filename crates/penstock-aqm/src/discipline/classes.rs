//! Builds the queues of a scheduler from the classes in its settings; each error names the path of its key.

use super::class_queue::{ClassQueue, Guarantee, Store};
use crate::algorithm::droptail::DropTail;
use crate::aqm::Aqm;
use crate::class_settings::path;
use crate::scheme::Site;
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;
use penstock_core::Limit;
use penstock_core::param::{ClassSetting, Length, ParamError, ParamErrors};

/// Upper bound of the sum of shares: tolerates rounding, as in three shares of a third.
const WHOLE: f64 = 1.0 + 1e-9;

/// Check that the shares of all classes do not exceed the link.
pub(super) fn check_shares(shares: impl Iterator<Item = f64> + Clone, errors: &mut ParamErrors) {
    let sum: f64 = shares.clone().sum();
    if sum > WHOLE {
        let last = path(shares.count().saturating_sub(1), "share");
        errors.push(ParamError::new(last, format!("makes the shares add up to {sum}: they must not exceed 1")));
    }
}

/// The data from which the queue of a class is built.
pub(super) struct ClassPlan {
    pub(super) store: Store,
    pub(super) limit: Option<Length>,
    pub(super) guarantee: Guarantee,
}

/// The queues of the classes; errors of their AQMs are added to `errors`.
pub(super) fn queues(
    classes: &[ClassSetting],
    plans: impl Iterator<Item = ClassPlan>,
    &Site { link, now, build_aqm }: &Site<'_>,
    mut errors: ParamErrors,
) -> Result<Vec<ClassQueue>, ParamErrors> {
    let mut queues = Vec::with_capacity(classes.len());
    for (i, (class, plan)) in classes.iter().zip(plans).enumerate() {
        let own_limit = plan.limit.map(limit);
        let seen = ClassQueue::seen_by_aqm(link, own_limit, plan.guarantee);
        let aqm = match &class.queue {
            None => Ok(Box::new(DropTail) as Box<dyn Aqm>),
            Some((scheme, settings)) => build_aqm(scheme, settings, &seen, now),
        };
        match aqm {
            Ok(aqm) => {
                let queue = ClassQueue::new(plan.store, own_limit, link.limit, plan.guarantee, aqm);
                queues.push(queue.named(&class.name));
            }
            Err(refused) => {
                let told = |error: ParamError| ParamError { name: path(i, &format!("queue.{}", error.name)), ..error };
                errors.extend(refused.into_iter().map(told));
            }
        }
    }
    if errors.is_empty() { Ok(queues) } else { Err(errors) }
}

fn limit(length: Length) -> Limit {
    match length {
        Length::Packets(packets) => Limit::Packets(packets as u32),
        Length::Bytes(bytes) => Limit::Bytes(bytes as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Rig, class, numbered, thesis_link};
    use penstock_core::Rate;
    use penstock_core::param::{Match, Value};

    fn with_aqm(class: ClassSetting, scheme: &str, settings: &[(&str, Value)]) -> ClassSetting {
        let settings = settings.iter().map(|(name, value)| ((*name).to_string(), value.clone())).collect();
        ClassSetting { queue: Some((scheme.to_string(), settings)), ..class }
    }

    fn wfq(classes: Vec<ClassSetting>) -> Result<Rig, Vec<(String, String)>> {
        let made = Rig::on(&thesis_link(), "wfq", &[("classes".to_string(), Value::Classes(classes))], 1);
        made.map_err(|errors| errors.into_iter().map(|error| (error.name, error.message)).collect())
    }

    #[test]
    fn an_aqm_guards_its_own_class_only() {
        let all = [("p", Value::Number(1.0))];
        let mut rig = wfq(vec![with_aqm(class(0, vec![]), "bernoulli", &all), class(1, vec![])]).unwrap();
        rig.arrive_from(0, 5);
        rig.arrive_from(1, 5);
        assert_eq!((rig.counts.dropped_on_arrival, rig.counts.queued), (5, 5));
        assert_eq!(rig.order(), [1; 5]);
    }

    #[test]
    fn a_class_has_its_own_limit_besides_that_of_all() {
        let mut rig = wfq(vec![class(0, vec![("limit", Value::Packets(3.0))]), class(1, vec![])]).unwrap();
        rig.arrive_from(0, 5);
        assert_eq!(rig.counts.queued, 3);
        rig.arrive_from(1, 40);
        assert_eq!(rig.counts.queued, 35);
        rig.serve();
        rig.arrive_from(1, 2);
        assert_eq!(rig.counts.queued, 36);
        let mut bytes = wfq(vec![class(0, vec![("limit", Value::Bytes(2500.0))]), class(1, vec![])]).unwrap();
        for size in [1000, 1000, 600, 500] {
            bytes.arrive_packet(numbered(0, size));
        }
        assert_eq!((bytes.counts.queued, bytes.counts.dropped_on_arrival), (3, 1));
    }

    #[test]
    fn the_state_of_a_aqm_bears_the_name_of_its_class() {
        let all = [("max_p", Value::Number(0.5))];
        let named = |class: ClassSetting, name: &str| ClassSetting { name: name.into(), ..class };
        let rig = wfq(vec![
            named(with_aqm(class(0, vec![]), "red", &[]), "gold"),
            named(with_aqm(class(1, vec![]), "red", &all), "tin"),
        ]);
        let rig = rig.unwrap();
        assert_eq!((rig.gauge("gold.max_p"), rig.gauge("tin.max_p")), (0.1, 0.5));
    }

    #[test]
    fn an_aqm_sees_its_class_as_the_link() {
        let seen = |guarantee| ClassQueue::seen_by_aqm(&thesis_link(), None, guarantee).rate;
        assert_eq!(seen(Guarantee::Share(0.25)), Rate::from_bits_per_second(375_000));
        assert_eq!(seen(Guarantee::Rate(Rate::from_bits_per_second(2_000_000))), thesis_link().rate);
        // A threshold below the limit of the link, but not below that of the class.
        let settings = [("min_th", Value::Number(5.0)), ("max_th", Value::Number(15.0))];
        let small = class(0, vec![("limit", Value::Packets(10.0))]);
        let errors = wfq(vec![with_aqm(small, "red", &settings), class(1, vec![])]).err().unwrap();
        assert_eq!(errors[0].0, "classes[0].queue.max_th");
        assert!(errors[0].1.contains("the limit of the queue, 10 packets"), "{}", errors[0].1);
    }

    #[test]
    fn every_fault_of_every_class_is_told_under_its_path() {
        let mut twin = class(0, vec![("weight", Value::Number(-1.0)), ("shrae", Value::Number(0.5))]);
        twin.matches = Match::default();
        let red = with_aqm(class(0, vec![]), "red", &[("max_p", Value::Number(7.0))]);
        let wrong_scheme = with_aqm(class(2, vec![]), "pq", &[]);
        let errors = wfq(vec![twin, red, wrong_scheme]).err().unwrap();
        let paths: Vec<_> = errors.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths, ["classes[0].match", "classes[0].shrae", "classes[0].weight", "classes[1].name"]);
        let errors = wfq(vec![
            with_aqm(class(0, vec![]), "red", &[("max_p", Value::Number(7.0))]),
            with_aqm(class(2, vec![]), "pq", &[]),
        ]);
        let paths: Vec<_> = errors.err().unwrap().into_iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["classes[0].queue.max_p", "classes[1].queue.scheme"]);
    }

    #[test]
    fn shares_above_the_link_and_no_classes_are_refused() {
        let shares = [0.7, 0.4].map(|share| vec![("share", Value::Number(share))]);
        let classes = shares.into_iter().enumerate().map(|(i, settings)| class(i as u32, settings)).collect();
        assert_eq!(wfq(classes).err().unwrap()[0].0, "classes[1].share");
        assert_eq!(wfq(vec![]).err().unwrap()[0].0, "classes");
        let thirds = (0..3).map(|i| class(i, vec![("share", Value::Number(1.0 / 3.0))])).collect();
        assert!(wfq(thirds).is_ok());
    }
}
