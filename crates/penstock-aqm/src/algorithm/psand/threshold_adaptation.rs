//! How PSAND's thresholds move: table 3.2 of the thesis.

use super::PsandParams;
use crate::algorithm::red::Red;
use alloc::format;
use alloc::vec::Vec;
use penstock_core::param::{Auto, ParamError, ParamErrors};

penstock_core::choice! {
    /// How the thresholds move as the average queue rises.
    pub enum Adapt {
        /// They are fixed.
        None = "none",
        /// max_th falls.
        MaxDown = "max-down",
        /// max_th rises.
        MaxUp = "max-up",
        /// They approach each other.
        Squeeze = "squeeze",
        /// They move apart.
        Spread = "spread",
        /// Both rise.
        ShiftUp = "shift-up",
        /// Both fall.
        ShiftDown = "shift-down",
        /// Both stay at the target.
        PseudoDropTail = "pseudo-drop-tail",
        /// They approach each other, and the slope between them is kept.
        Sandwich = "sandwich",
    }
}

/// Bounds of the thresholds, in the unit that the queue is measured in.
pub(super) struct Room {
    /// KT: min_th stays below it, max_th above.
    pub(super) target: f64,
    /// B: max_th does not exceed it.
    pub(super) limit: f64,
    /// Smallest distance between them.
    pub(super) width: f64,
}

impl Adapt {
    /// The initial thresholds. `rule` holds the thresholds of section 3.2.4, used if they do not move.
    pub(super) fn start(self, rule: (f64, f64), target: f64) -> (f64, f64) {
        match self {
            Self::None | Self::MaxDown | Self::MaxUp | Self::PseudoDropTail => rule,
            _ => (f64::midpoint(rule.0, target), f64::midpoint(rule.1, target)),
        }
    }

    /// The thresholds after an interval in which the average queue rose by `change`.
    pub(super) fn moved(self, now: (f64, f64), change: f64, smooth_alpha: f64, room: &Room) -> (f64, f64) {
        let step = (1.0 - smooth_alpha) * change;
        let (min_th, max_th) = now;
        let (min_th, max_th) = match self {
            Self::None | Self::PseudoDropTail => now,
            Self::MaxDown => (min_th, room.max_th(max_th - step, min_th)),
            Self::MaxUp => (min_th, room.max_th(max_th + step, min_th)),
            Self::Squeeze => room.squeezed(now, step),
            Self::Spread => room.squeezed(now, -step),
            Self::ShiftUp => room.shifted(now, step),
            Self::ShiftDown => room.shifted(now, -step),
            Self::Sandwich => room.squeezed(now, change),
        };
        // If the limit of the queue has become too small for the width, they are equal.
        (min_th.min(max_th), max_th)
    }

    /// Check given thresholds against the rule that moves them.
    pub(super) fn errors(self, params: &PsandParams, red: &Red, target: f64) -> ParamErrors {
        let unit = red.params.measure_in.word();
        let mut errors = Vec::new();
        if self == Self::PseudoDropTail {
            for (name, given) in [("min_th", params.min_th), ("max_th", params.max_th)] {
                if given != Auto::Auto {
                    let message =
                        "must be \"auto\" with `adapt = \"pseudo-drop-tail\"`: both thresholds are the target";
                    errors.push(ParamError::new(name, message));
                }
            }
        } else if self != Self::None {
            let (min_th, max_th) = (red.curve.min_th, red.curve.max_th);
            if min_th > target {
                let message = format!("must not be above the target, {target} {unit}, to move");
                errors.push(ParamError::new("min_th", message));
            }
            if max_th < target {
                let message = format!("must not be below the target, {target} {unit}, to move");
                errors.push(ParamError::new("max_th", message));
            }
        }
        errors
    }
}

impl Room {
    /// The max_th nearest to `wanted` within the bounds.
    fn max_th(&self, wanted: f64, min_th: f64) -> f64 {
        wanted.max(self.target).max(min_th + self.width).min(self.limit)
    }

    /// min_th rises and max_th falls by `step`, or by as much as the bounds of both allow.
    fn squeezed(&self, (min_th, max_th): (f64, f64), step: f64) -> (f64, f64) {
        let apart = (-min_th).max(max_th - self.limit);
        let together = (self.target - min_th).min(max_th - self.target).min((max_th - min_th - self.width) / 2.0);
        let step = step.min(together).max(apart);
        (min_th + step, max_th - step)
    }

    /// Both rise by `step`, each as far as its bounds allow.
    fn shifted(&self, (min_th, max_th): (f64, f64), step: f64) -> (f64, f64) {
        let min_th = (min_th + step).max(0.0).min(self.target);
        let max_th = self.max_th(max_th + step, min_th);
        (min_th.min(max_th - self.width).max(0.0), max_th)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: Room = Room { target: 10.0, limit: 35.0, width: 0.5 };

    fn moved(adapt: Adapt, change: f64) -> (f64, f64) {
        adapt.moved((5.0, 15.0), change, 0.0, &ROOM)
    }

    #[test]
    fn each_way_is_that_of_table_3_2() {
        let expected = [
            (Adapt::None, (5.0, 15.0), (5.0, 15.0)),
            (Adapt::MaxDown, (5.0, 13.0), (5.0, 17.0)),
            (Adapt::MaxUp, (5.0, 17.0), (5.0, 13.0)),
            (Adapt::Squeeze, (7.0, 13.0), (3.0, 17.0)),
            (Adapt::Spread, (3.0, 17.0), (7.0, 13.0)),
            (Adapt::ShiftUp, (7.0, 17.0), (3.0, 13.0)),
            (Adapt::ShiftDown, (3.0, 13.0), (7.0, 17.0)),
            (Adapt::PseudoDropTail, (5.0, 15.0), (5.0, 15.0)),
            (Adapt::Sandwich, (7.0, 13.0), (3.0, 17.0)),
        ];
        for (adapt, up, down) in expected {
            assert_eq!((moved(adapt, 2.0), moved(adapt, -2.0)), (up, down), "{adapt:?}");
        }
    }

    #[test]
    fn thresholds_keep_to_their_sides_of_the_target() {
        let expected = [
            (Adapt::MaxDown, (5.0, 10.0), (5.0, 35.0)),
            (Adapt::MaxUp, (5.0, 35.0), (5.0, 10.0)),
            (Adapt::Squeeze, (9.75, 10.25), (0.0, 20.0)),
            (Adapt::Spread, (0.0, 20.0), (9.75, 10.25)),
            (Adapt::ShiftUp, (10.0, 35.0), (0.0, 10.0)),
            (Adapt::ShiftDown, (0.0, 10.0), (10.0, 35.0)),
            (Adapt::Sandwich, (9.75, 10.25), (0.0, 20.0)),
        ];
        for (adapt, up, down) in expected {
            assert_eq!((moved(adapt, 30.0), moved(adapt, -30.0)), (up, down), "{adapt:?}");
        }
    }

    #[test]
    fn thresholds_never_change_places_on_a_link_that_became_short() {
        let short = Room { target: 10.0, limit: 4.0, width: 0.5 };
        for adapt in [Adapt::MaxDown, Adapt::MaxUp, Adapt::Squeeze, Adapt::Spread, Adapt::ShiftUp, Adapt::Sandwich] {
            for change in [-30.0, -2.0, 2.0, 30.0] {
                let (min_th, max_th) = adapt.moved((5.0, 15.0), change, 0.0, &short);
                assert!(min_th <= max_th, "{adapt:?} by {change}: {min_th} and {max_th}");
            }
        }
    }

    #[test]
    fn thresholds_that_move_oppositely_stay_symmetric_about_the_target() {
        let mut now = (5.0, 15.0);
        for change in [3.0, -1.5, 9.0, -30.0, 0.25, 12.0] {
            now = Adapt::Squeeze.moved(now, change, 0.0, &ROOM);
            assert_eq!(now.0 + now.1, 20.0);
        }
        // above half of the queue the upper threshold reaches the limit first
        let high = Room { target: 30.0, limit: 35.0, width: 0.5 };
        assert_eq!(Adapt::Spread.moved((27.5, 32.5), 30.0, 0.0, &high), (25.0, 35.0));
    }

    #[test]
    fn smoothing_takes_a_part_of_the_step() {
        assert_eq!(Adapt::ShiftUp.moved((5.0, 15.0), 2.0, 0.75, &ROOM), (5.5, 15.5));
        assert_eq!(Adapt::MaxDown.moved((5.0, 15.0), 2.0, 1.0, &ROOM), (5.0, 15.0));
        assert_eq!(Adapt::Sandwich.moved((5.0, 15.0), 2.0, 0.75, &ROOM), (7.0, 13.0));
    }
}
