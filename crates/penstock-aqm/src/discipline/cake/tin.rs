//! One tin of CAKE: its credits, and its schedule, which it may run ahead of.

use super::deficit_shaper::DeficitShaper;
use super::rotation::Rotation;
use super::set_associative_hash::SetAssociativeHash;
use super::tins::Entitlement;
use crate::algorithm::cobalt::Cobalt;
use crate::list::List;
use penstock_core::Time;

/// Bytes that a tin of weight 1 may send in a turn.
const TIN_QUANTUM: f64 = 1024.0;

/// A tin: its place in the schedule of tins, and its queues.
pub(super) struct Tin {
    pub(super) entitlement: Entitlement,
    /// When the tin is back below its threshold.
    pub(super) threshold: DeficitShaper,
    pub(super) deficit: f64,
    /// Waiting packets.
    pub(super) packets: u32,
    pub(super) ways: SetAssociativeHash,
    pub(super) sparse: List,
    pub(super) rotation: Rotation,
    pub(super) decaying: List,
    /// The AQM in its initial state, cloned for each new queue.
    pub(super) fresh: Cobalt,
}

impl Tin {
    /// Whether the tin has packets, and credit left in its turn.
    pub(super) fn may_send(&self) -> bool {
        self.packets > 0 && self.deficit > 0.0
    }

    /// Credit of the tin in a round.
    pub(super) fn credit(&self, now: Time) -> f64 {
        let Entitlement { priority, share } = self.entitlement;
        TIN_QUANTUM * if self.threshold.next() <= now { priority } else { share }
    }

    /// Account for `size` bytes that the tin has sent through this shaper.
    #[inline]
    pub(super) fn charge(&mut self, now: Time, size: u32, shaper: Option<&mut DeficitShaper>) {
        if let Some(shaper) = shaper {
            self.threshold.run_ahead(now, size);
            shaper.advance(size);
        } else {
            self.threshold.advance(size);
            self.deficit -= f64::from(size);
        }
    }

    /// Account for `size` bytes that the tin has dropped, as if they had been sent, as long as `failsafe` permits.
    #[cold]
    pub(super) fn charge_dropped(
        &mut self,
        now: Time,
        size: u32,
        shaper: Option<&mut DeficitShaper>,
        failsafe: &DeficitShaper,
    ) {
        if shaper.as_ref().is_some_and(|shaper| shaper.next() <= failsafe.next()) {
            self.charge(now, size, shaper);
        }
    }
}
