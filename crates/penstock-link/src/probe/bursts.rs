//! Consecutive losses: a burst starts with a loss and ends with the next packet that is accepted.

use super::distribution::pmf;

/// Largest burst length of a distribution; longer bursts count as this.
const LONGEST_RUN: usize = 10_000;

/// Number of bursts of each length.
#[derive(Default)]
pub struct Bursts {
    /// Losses of the burst in progress.
    open: usize,
    ended: Vec<u64>,
}

impl Bursts {
    /// A packet was lost.
    pub fn lose(&mut self) {
        self.open += 1;
    }

    /// A packet was accepted.
    #[inline]
    pub fn end(&mut self) {
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

    /// Without counts, but with the burst in progress.
    #[must_use]
    pub fn restarted(&self) -> Self {
        Self { open: self.open, ended: Vec::new() }
    }

    /// Share of bursts of 1, 2, ... losses.
    pub fn pmf(&self) -> Vec<f64> {
        pmf(&self.ended)
    }
}
