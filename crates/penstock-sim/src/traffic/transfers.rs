//! Transfers of a session: one after the other, or in open loop.

use crate::scenario::{Draw, OnoffSpec, TransfersSpec};
use crate::traffic::opening::{Opening, Size};
use penstock_core::{Rng, Time};

/// Transfers in open loop, or a single one.
pub(crate) struct Arrivals {
    spec: TransfersSpec,
    next: Time,
}

impl Arrivals {
    /// Transfers by `spec`, the first a gap after `start`, or a single one at `start`.
    pub(crate) fn new(spec: &TransfersSpec, start: Time, rng: &mut Rng) -> Self {
        let next = spec.arrivals.as_ref().map_or(start, |gap| start + gap.span(rng));
        Self { spec: spec.clone(), next }
    }

    /// Start of the next transfer.
    pub(crate) fn next(&self) -> Time {
        self.next
    }

    /// Start a transfer.
    pub(crate) fn on_time(&mut self, now: Time, rng: &mut Rng, open: &mut Vec<Opening>) {
        let size = Size::draw(&self.spec.size, self.spec.unit, rng);
        open.push(Opening { route: 0, size, tag: 0 });
        self.next = self.spec.arrivals.as_ref().map_or(Time::NEVER, |gap| now + gap.span(rng));
    }
}

/// Transfers one after the other, with a pause from the end of one to the start of the next.
pub(crate) struct Transfers {
    /// Size in packets.
    size: Draw,
    /// Pause in nanoseconds.
    off: Draw,
    next: Time,
}

impl Transfers {
    /// Transfers by `spec`, the first at `start`.
    pub(crate) fn new(spec: &OnoffSpec, start: Time) -> Self {
        Self { size: spec.on.clone(), off: spec.off.clone(), next: start }
    }

    /// Start of the next transfer, [`Time::NEVER`] while one is in progress.
    pub(crate) fn next(&self) -> Time {
        self.next
    }

    /// The transfer ends: the next one follows after a pause.
    pub(crate) fn on_end(&mut self, now: Time, rng: &mut Rng) {
        self.next = now + self.off.span(rng);
    }

    /// Start a transfer.
    pub(crate) fn on_time(&mut self, rng: &mut Rng, open: &mut Vec<Opening>) {
        self.next = Time::NEVER;
        open.push(Opening { route: 0, size: Size::Packets(self.size.count(rng)), tag: 0 });
    }
}
