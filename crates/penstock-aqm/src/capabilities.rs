//! Declarations of AQMs and disciplines: what they need from their host, and when they decide.
//!
//! A host reads the declaration once, after it has built the queue, and may skip all work that the declaration
//! excludes. The conformance suite (`tests/integration/conformance/capabilities.rs`) checks every registered scheme
//! against its declaration.

/// What an AQM or a discipline needs from its host, and when it decides. Fixed at construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Which packets it drops or marks.
    pub judges: Judges,
    /// Which operations move its timer.
    pub timer: TimerMoves,
    /// The facts about packets that it reads in addition to the header, and when.
    pub side: SideInformation,
    /// Whether it reads the facts of pure acknowledgements ([`penstock_core::PureAck`]) during their arrival.
    pub reads_acks: bool,
}

/// Which packets an AQM drops or marks. Overflow is not a decision of the AQM: with any of these variants an arriving
/// packet may find no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judges {
    /// Arriving packets only: the fate of a packet is final once it is queued.
    Arrivals,
    /// Queued packets only: at their departure, or to make room for another packet.
    Departures,
    /// Arriving and queued packets.
    Both,
}

/// Which operations move the timer, from the fewest to all. See *Timers* in `aqm.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TimerMoves {
    /// None: there is no timer, and `next_timeout` always returns `None`.
    Never,
    /// Construction, `on_timeout` and `on_link`.
    Periodic,
    /// Also `on_idle`; for a discipline, a `dequeue` that found the queue empty.
    OnIdle,
    /// Any operation.
    Always,
}

/// The [`penstock_core::Rare`] facts that an AQM reads, and when; ordered from no facts to all facts at any time. A fact has
/// its value at the time of reading: the estimated round-trip time may change while a packet waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SideInformation {
    /// None.
    Unused,
    /// The hosts of a packet, during its arrival.
    HostsAtArrival,
    /// Also its round-trip time and application data unit, during its arrival.
    AtArrival,
    /// All facts of arriving and of queued packets.
    Always,
}

impl Capabilities {
    /// Judges arrivals; has no timer and reads no side information.
    pub const ARRIVALS: Self =
        Self { judges: Judges::Arrivals, timer: TimerMoves::Never, side: SideInformation::Unused, reads_acks: false };

    /// Judges queued packets; has no timer and reads no side information.
    pub const DEPARTURES: Self = Self { judges: Judges::Departures, ..Self::ARRIVALS };

    /// The same capabilities, with a timer that moves at these operations.
    #[must_use]
    pub const fn with_timer(self, timer: TimerMoves) -> Self {
        Self { timer, ..self }
    }

    /// The same capabilities, and it reads at least these [`penstock_core::Rare`] facts.
    #[must_use]
    pub fn with_side(self, side: SideInformation) -> Self {
        Self { side: self.side.max(side), ..self }
    }

    /// Whether it reads [`penstock_core::Rare`] facts of arriving packets.
    #[inline]
    pub const fn reads_rare_at_arrival(self) -> bool {
        !matches!(self.side, SideInformation::Unused)
    }

    /// Whether it reads [`penstock_core::Rare`] facts other than the hosts.
    pub const fn reads_more_than_hosts(self) -> bool {
        matches!(self.side, SideInformation::AtArrival | SideInformation::Always)
    }

    /// Whether it reads [`penstock_core::Rare`] facts of queued packets.
    #[inline]
    pub const fn reads_rare_of_queued(self) -> bool {
        matches!(self.side, SideInformation::Always)
    }

    /// The capabilities of a queue that consists of both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self {
            judges: if self.judges == other.judges { self.judges } else { Judges::Both },
            timer: self.timer.max(other.timer),
            side: self.side.max(other.side),
            reads_acks: self.reads_acks || other.reads_acks,
        }
    }

    /// The capabilities of a discipline that applies this AQM to one of its queues. That queue can become empty, and
    /// its AQM idle, in a `dequeue` that sends a packet.
    #[must_use]
    pub(crate) fn of_part(self) -> Self {
        let timer = if self.timer == TimerMoves::OnIdle { TimerMoves::Always } else { self.timer };
        Self { timer, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_union_has_the_capabilities_of_both() {
        let blue = Capabilities::ARRIVALS.with_timer(TimerMoves::OnIdle);
        let codel = Capabilities::DEPARTURES;
        let green = Capabilities::ARRIVALS.with_timer(TimerMoves::Periodic).with_side(SideInformation::AtArrival);
        assert_eq!(blue.union(green), blue.with_side(SideInformation::AtArrival));
        assert_eq!(blue.union(green), green.union(blue));
        assert_eq!(codel.union(green), Capabilities { judges: Judges::Both, ..green });
        assert_eq!(codel.union(codel), codel);
        let filter = Capabilities { reads_acks: true, ..codel };
        assert_eq!([filter.union(codel), codel.union(filter)], [filter; 2]);
    }

    #[test]
    fn the_idle_timer_of_a_part_may_move_at_any_operation() {
        for timer in [TimerMoves::Never, TimerMoves::Periodic, TimerMoves::Always] {
            assert_eq!(Capabilities::ARRIVALS.with_timer(timer).of_part().timer, timer);
        }
        assert_eq!(Capabilities::ARRIVALS.with_timer(TimerMoves::OnIdle).of_part().timer, TimerMoves::Always);
    }
}
