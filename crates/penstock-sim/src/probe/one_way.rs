//! One-way delays of datagrams and of data packets of TCPs, from their sending to their arrival at the receiver. A
//! retransmission is a packet of its own, with a sending time of its own.

use penstock_core::Span;
use penstock_link::probe::histogram::Histogram;

/// The one-way delays of a group of flows since the warm-up.
pub(crate) struct OneWayDelays {
    pub(crate) delays: Histogram,
    /// Differences between the delays of packets of one flow that were delivered one after the other: sum of the absolute
    /// values in nanoseconds, and number.
    differences: (u128, u64),
    /// Number of the first flow of the group.
    first: u32,
    /// By flow of the group: delay of the last packet of its connection.
    last: Vec<Option<Span>>,
}

impl OneWayDelays {
    /// No delays yet, of `count` flows from number `first` on.
    pub(crate) fn new(first: u32, count: usize) -> Self {
        Self { delays: Histogram::default(), differences: (0, 0), first, last: vec![None; count] }
    }

    /// A session opens a connection on this flow: its first packet has no predecessor.
    pub(crate) fn begin(&mut self, flow: u32) {
        let index = (flow - self.first) as usize;
        if self.last.len() <= index {
            self.last.resize(index + 1, None);
        }
        self.last[index] = None;
    }

    /// A packet of this flow was delivered after this delay.
    pub(crate) fn deliver(&mut self, flow: u32, delay: Span) {
        self.delays.record(delay);
        let last = self.last[(flow - self.first) as usize].replace(delay);
        if let Some(last) = last {
            self.differences.0 += u128::from(last.as_nanos().abs_diff(delay.as_nanos()));
            self.differences.1 += 1;
        }
    }

    /// The delays of all these groups together; their flows are no longer distinguished.
    pub(crate) fn merged<'a>(groups: impl Iterator<Item = &'a Self>) -> Self {
        let mut sums = Self::new(0, 0);
        for group in groups {
            sums.delays.merge(&group.delays);
            sums.differences.0 += group.differences.0;
            sums.differences.1 += group.differences.1;
        }
        sums
    }

    /// Mean of |D(i-1, i)| of RFC 3550, section 6.4.1, in seconds.
    pub(crate) fn jitter(&self) -> Option<f64> {
        let (sum, count) = self.differences;
        (count > 0).then(|| sum as f64 / count as f64 * 1e-9)
    }
}
