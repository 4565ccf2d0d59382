//! Statistics of flows in the network: losses, bits over the watched link, delivered bytes.

use penstock_core::Time;
use penstock_link::probe::distribution::pmf;
use penstock_tcp::Sender;

/// Counts of one flow in the network since the warm-up.
#[derive(Clone, Copy, Default)]
pub(crate) struct FlowStats {
    /// Bits on the wire that crossed the watched link. Of a packet in transmission at either end of the statistics, those
    /// sent in between.
    pub(crate) crossed_bits: u64,
    /// Delivered payload: of datagrams during the statistics; of a TCP, in order and each byte once, before and after them.
    /// (The receiver counts all bytes, and few packets arrive then.)
    pub(crate) payload_bytes: u64,
    /// Data packets sent since the warm-up and lost anywhere.
    pub(crate) lost: u32,
    /// Consecutive losses up to now.
    run: u32,
}

/// Lengths of loss runs of the flows of a group.
#[derive(Clone, Default)]
pub(crate) struct LossRuns(Vec<u64>);

impl LossRuns {
    /// Share of runs of 1, 2, ... packets.
    pub(crate) fn pmf(&self) -> Vec<f64> {
        pmf(&self.0)
    }

    /// Number of runs.
    pub(crate) fn count(&self) -> u64 {
        self.0.iter().sum()
    }
}

impl FlowStats {
    /// A data packet was lost; `counts` if it was sent since the warm-up.
    #[inline]
    pub(crate) fn on_loss(&mut self, counts: bool) {
        self.lost += u32::from(counts);
        self.run += 1;
    }

    /// Whether the last packets were lost.
    #[inline]
    pub(crate) fn is_losing(&self) -> bool {
        self.run > 0
    }

    /// A data packet entered the last queue on its route that may lose it: a run of losses ends.
    pub(crate) fn on_survival(&mut self, runs: &mut LossRuns) {
        let Some(last) = (self.run as usize).checked_sub(1) else { return };
        if runs.0.len() <= last {
            runs.0.resize(last + 1, 0);
        }
        runs.0[last] += 1;
        self.run = 0;
    }
}

/// The part of a run with statistics.
#[derive(Clone, Copy)]
pub(crate) struct Window {
    /// End of the warm-up.
    pub(crate) start: Time,
    /// End of the run.
    pub(crate) end: Time,
}

impl Window {
    /// Whether `now` is within it.
    #[inline]
    pub(crate) fn contains(self, now: Time) -> bool {
        self.start <= now && now <= self.end
    }

    /// Its length in seconds.
    pub(crate) fn seconds(self) -> f64 {
        self.end.since(self.start).as_secs()
    }
}

/// Seconds from each write of the sender's application to its acknowledgement, for writes acknowledged within `window`.
pub(crate) fn write_times(sender: &Sender, window: Window) -> impl Iterator<Item = f64> {
    let writes = sender.completed_writes().iter();
    writes.filter(move |write| window.contains(write.at)).map(|write| write.after.as_secs())
}

/// Shares for Jain's index, added one by one.
#[derive(Clone, Copy, Default)]
pub(crate) struct Shares {
    count: u64,
    sum: f64,
    squares: f64,
}

impl Shares {
    pub(crate) fn add(&mut self, share: f64) {
        self.count += 1;
        self.sum += share;
        self.squares += share * share;
    }

    /// Jain's index (sum x)^2 / (n sum x^2); `None` for no flows. If all flows got nothing, they share it evenly: 1.
    pub(crate) fn jain(&self) -> Option<f64> {
        match self.count {
            0 => None,
            _ if self.squares == 0.0 => Some(1.0),
            n => Some(self.sum * self.sum / (n as f64 * self.squares)),
        }
    }
}

impl FromIterator<f64> for Shares {
    fn from_iter<I: IntoIterator<Item = f64>>(all: I) -> Self {
        let mut shares = Self::default();
        for share in all {
            shares.add(share);
        }
        shares
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jain_is_one_for_equal_and_one_nth_for_a_single_taker() {
        let jain = |shares: &[f64]| shares.iter().copied().collect::<Shares>().jain();
        assert_eq!(jain(&[3.0, 3.0, 3.0]), Some(1.0));
        assert_eq!(jain(&[1.0, 0.0, 0.0, 0.0]), Some(0.25));
        assert_eq!(jain(&[0.0, 0.0]), Some(1.0));
        assert_eq!(jain(&[]), None);
    }

    #[test]
    fn a_run_ends_with_the_next_survivor() {
        let (mut flow, mut runs) = (FlowStats::default(), LossRuns::default());
        for lost in [true, true, false, false, true, false] {
            if lost { flow.on_loss(true) } else { flow.on_survival(&mut runs) }
        }
        assert_eq!((runs.pmf(), runs.count(), flow.lost), (vec![0.5, 0.5], 2, 3));
    }
}
