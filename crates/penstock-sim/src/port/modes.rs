//! The modes that a port may use: its queue, its link, the rest of the network and the recordings of the run must
//! permit them.

use super::{DeviceQueue, ObservedQueue};
use crate::changing_link::ChangingLink;
use crate::scenario::LinkSpec;
use penstock_aqm::{Capabilities, Judges, SideInformation, TimerMoves};

/// The permitted modes. The event-driven mode is always permitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modes {
    /// Departures may be executed lazily.
    pub lazy: bool,
    /// Departures may be computed as packets arrive.
    pub precomputed: bool,
}

impl Modes {
    /// All modes.
    pub const ALL: Self = Self { lazy: true, precomputed: true };
    /// Only the event-driven mode.
    pub const EVENTED_ONLY: Self = Self { lazy: false, precomputed: false };

    /// The modes that both permit.
    #[must_use]
    pub(crate) const fn and(self, other: Self) -> Self {
        Self { lazy: self.lazy && other.lazy, precomputed: self.precomputed && other.precomputed }
    }

    /// The modes that this queue permits.
    pub(crate) fn of_queue(queue: &ObservedQueue) -> Self {
        let Capabilities { judges, timer, side } = queue.discipline.capabilities();
        // A departure that is executed lazily must not move a timer or read state that has changed since.
        let keeps_timer = timer <= TimerMoves::Periodic;
        let reads_late = side != SideInformation::Unused && judges != Judges::Arrivals;
        // A queued packet leaves once the packets before it have left, whatever happens meanwhile.
        let is_final = judges == Judges::Arrivals && timer == TimerMoves::Never && queue.discipline.is_fifo();
        Self { lazy: keeps_timer && !reads_late, precomputed: is_final && queue.discipline.is_static_fifo() }
    }

    /// The modes that this link permits.
    pub(crate) fn of_link(link: &LinkSpec) -> Self {
        let changes = if link.is_steady() { Self::ALL } else { ChangingLink::MODES };
        let device = if link.device_queue.is_none() { Self::ALL } else { DeviceQueue::MODES };
        changes.and(device)
    }
}
