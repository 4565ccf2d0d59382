//! The reordering window of RACK: how long a packet may be late before it counts as lost.
//!
//! RFC 8985, section 6.2, steps 3 and 4.
//!
//! # Algorithm
//! The window is a quarter of the minimum round-trip time, and a quarter more after each round trip in which the receiver reported a
//! duplicate; at most SRTT. After 16 recoveries without such a report it returns to a quarter. Until reordering is
//! seen, the window is 0 in a recovery, and once the number of reported packets reaches the duplicate ACK threshold.

use penstock_core::Span;

/// Recoveries after which a window that duplicates have extended returns to its initial value.
const PERSISTENCE: u32 = 16;

#[derive(Debug)]
pub(crate) struct ReorderingWindow {
    /// `RACK.reordering_seen`.
    is_reordering_seen: bool,
    /// `RACK.reo_wnd_mult`.
    multiple: u32,
    /// `RACK.reo_wnd_persist`.
    persistence: u32,
    /// `RACK.dsack_round`: the window grows once until this packet is the oldest outstanding one.
    round: Option<u32>,
}

impl Default for ReorderingWindow {
    fn default() -> Self {
        Self { is_reordering_seen: false, multiple: 1, persistence: PERSISTENCE, round: None }
    }
}

impl ReorderingWindow {
    /// A packet was delivered out of order.
    pub(crate) fn note_reordering(&mut self) {
        self.is_reordering_seen = true;
    }

    /// Adapt the window after an ACK that reports a duplicate (`has_duplicate`), or that ends a recovery (RACK_update_reo_wnd); `una` and
    /// `next` are SND.UNA and SND.NXT after it.
    pub(crate) fn adapt(&mut self, una: u32, next: u32, has_duplicate: bool) {
        self.round = self.round.filter(|round| una < *round);
        if has_duplicate && self.round.is_none() {
            self.round = Some(next);
            self.multiple += 1;
            self.persistence = PERSISTENCE;
        } else if !has_duplicate {
            self.persistence = self.persistence.saturating_sub(1);
            if self.persistence == 0 {
                self.multiple = 1;
            }
        }
    }

    /// The window. `repairing`: in a recovery, or after a timeout; `reported`: packets reported by SACK; `threshold`: number of
    /// duplicate ACKs that signal a loss.
    pub(crate) fn span(
        &self,
        repairing: bool,
        (reported, threshold): (u32, u32),
        min_rtt: Option<Span>,
        srtt: Option<Span>,
    ) -> Span {
        if !self.is_reordering_seen && (repairing || reported >= threshold) {
            return Span::ZERO;
        }
        let quarters = Span::from_nanos(min_rtt.map_or(0, Span::as_nanos) / 4) * u64::from(self.multiple);
        srtt.map_or(quarters, |srtt| quarters.min(srtt))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quarters(window: &ReorderingWindow) -> u64 {
        window.span(false, (0, 3), Some(Span::from_millis(4)), Some(Span::from_millis(100))).as_nanos() / 1_000_000
    }

    #[test]
    fn each_round_with_a_duplicate_adds_a_quarter_of_the_round_trip() {
        // RFC 8985, section 6.2: after N round trips with a duplicate, (N + 1) min_RTT / 4, at most SRTT.
        let mut window = ReorderingWindow::default();
        assert_eq!(quarters(&window), 1);
        window.adapt(10, 30, true);
        window.adapt(20, 40, true);
        assert_eq!(quarters(&window), 2, "one round");
        window.adapt(30, 50, true);
        assert_eq!(quarters(&window), 3);
        let srtt = Some(Span::from_millis(2));
        assert_eq!(window.span(false, (0, 3), Some(Span::from_millis(4)), srtt), Span::from_millis(2));
    }

    #[test]
    fn sixteen_recoveries_without_a_duplicate_reset_the_window() {
        let mut window = ReorderingWindow::default();
        window.adapt(10, 30, true);
        (0..15).for_each(|_| window.adapt(100, 200, false));
        assert_eq!(quarters(&window), 2);
        window.adapt(100, 200, false);
        assert_eq!(quarters(&window), 1);
    }

    #[test]
    fn without_reordering_the_window_is_zero_in_recovery_and_with_three_reports() {
        let mut window = ReorderingWindow::default();
        let span = |window: &ReorderingWindow, repairing, reported| {
            window.span(repairing, (reported, 3), Some(Span::from_millis(4)), None).as_nanos() / 1_000_000
        };
        let all = |window: &ReorderingWindow| [span(window, false, 2), span(window, false, 3), span(window, true, 0)];
        assert_eq!(all(&window), [1, 0, 0]);
        window.note_reordering();
        assert_eq!(all(&window), [1, 1, 1]);
    }
}
