//! Sets of permitted modes.

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

    /// The modes that both sets permit.
    #[must_use]
    pub(crate) const fn and(self, other: Self) -> Self {
        Self { lazy: self.lazy && other.lazy, precomputed: self.precomputed && other.precomputed }
    }
}
