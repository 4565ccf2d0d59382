//! Consecutive losses: a burst starts with a loss and ends with the next packet that is accepted.

use super::distribution::pmf;

/// Most values of a distribution of burst lengths; longer bursts count as the longest.
const LONGEST_RUN: usize = 10_000;

/// How many bursts there were of each length.
#[derive(Default)]
pub(crate) struct Bursts {
    /// Losses of the burst that has not ended.
    open: usize,
    ended: Vec<u64>,
}

impl Bursts {
    /// A packet was lost.
    pub(crate) fn lose(&mut self) {
        self.open += 1;
    }

    /// A packet was accepted.
    #[inline]
    pub(crate) fn end(&mut self) {
        if self.open > 0 {
            self.close();
        }
    }

    fn close(&mut self) {
        let length = self.open.min(LONGEST_RUN);
        if self.ended.len() < length {
            self.ended.resize(length, 0);
        }
        self.ended[length - 1] += 1;
        self.open = 0;
    }

    /// With nothing counted but the burst that has not ended.
    pub(crate) fn restarted(&self) -> Self {
        Self { open: self.open, ended: Vec::new() }
    }

    /// Share of bursts of 1, 2, ... losses.
    pub(crate) fn pmf(&self) -> Vec<f64> {
        pmf(&self.ended)
    }
}
