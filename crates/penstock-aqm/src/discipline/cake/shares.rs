//! The credit of a queue in a round: the quantum divided by the load of its host. Each quotient is computed once.

use super::rounding::fraction;
use alloc::vec::Vec;

/// The shares of loads below this are looked up in a table.
const MAX_KNOWN: u32 = 1024;

/// The quantum divided by a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Share {
    /// The whole bytes.
    pub(super) whole: u32,
    /// The first 64 binary digits of the fraction of a byte; 0 only if there is no fraction.
    pub(super) fraction: u64,
}

impl Share {
    fn new(quantum: u32, load: u32) -> Self {
        Self { whole: quantum / load, fraction: fraction(quantum % load, load) }
    }

    /// The share rounded up.
    #[inline]
    pub(super) fn ceil(self) -> u32 {
        self.whole + u32::from(self.fraction > 0)
    }
}

/// The shares of a quantum.
pub(super) struct Shares {
    quantum: u32,
    /// By load, up to the largest load so far; the entry for load 0 is that for load 1.
    known: Vec<Share>,
}

impl Shares {
    pub(super) fn new(quantum: u32) -> Self {
        Self { quantum, known: Vec::new() }
    }

    /// Make room for loads up to this one.
    pub(super) fn reserve(&mut self, load: u32) {
        self.known.reserve(load.saturating_add(1).min(MAX_KNOWN) as usize);
    }

    pub(super) fn quantum(&self) -> u32 {
        self.quantum
    }

    pub(super) fn set_quantum(&mut self, quantum: u32) {
        self.quantum = quantum;
        self.known.clear();
    }

    /// The share of a queue whose host has this load, at least 1.
    #[inline]
    pub(super) fn of(&mut self, load: u32) -> Share {
        match self.known.get(load as usize) {
            Some(&share) => share,
            None => self.compute(load),
        }
    }

    #[cold]
    fn compute(&mut self, load: u32) -> Share {
        for load in self.known.len() as u32..=load.min(MAX_KNOWN - 1) {
            self.known.push(Share::new(self.quantum, load.max(1)));
        }
        Share::new(self.quantum, load)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_the_quotient_with_its_fraction() {
        let mut shares = Shares::new(762);
        // rising loads, falling loads, and loads beyond the table
        for load in [1, 3, 762, 100, 2, 100, 5000, 1024, 1023] {
            let share = shares.of(load);
            let exact = 762.0 / f64::from(load);
            let sum = f64::from(share.whole) + share.fraction as f64 / 2_f64.powi(64);
            assert!((sum - exact).abs() < 1e-12, "{load}: {sum}");
            assert_eq!(f64::from(share.ceil()), exact.ceil(), "{load}");
        }
        shares.set_quantum(300);
        assert_eq!(shares.of(100), Share { whole: 3, fraction: 0 });
    }
}
