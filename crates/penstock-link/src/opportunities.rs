//! Recorded capacity: the instants at which a link may send, as in a trace of Mahimahi.
//!
//! R. Netravali et al., "Mahimahi: Accurate Record-and-Replay for HTTP", USENIX ATC 2015, section 3.2 (`LinkShell`): each
//! line of a trace is a millisecond at which 1500 bytes may leave. Opportunities count bytes, so several small packets
//! may share an instant and a large one may need several; unused bytes are lost. After its last line a trace repeats.

use penstock_core::Time;

/// Bytes that may leave at one instant of the list.
const BYTES: u32 = 1500;
const NANOS: u64 = 1_000_000;

/// The instants, and those used so far.
pub(crate) struct Opportunities {
    /// Milliseconds in ascending order; the last one, above 0, is also the length of the trace.
    millis: Vec<u64>,
    /// Number of instants used or passed.
    gone: u64,
    /// The last instant used, and its unused bytes.
    current: Time,
    left: u32,
}

impl Opportunities {
    /// The instants of this trace.
    pub(crate) fn new(millis: Vec<u64>) -> Self {
        Self { millis, gone: 0, current: Time::ZERO, left: 0 }
    }

    /// Time at which the last byte of a packet leaves if its transmission starts at `now`.
    pub(crate) fn end(&mut self, now: Time, size: u32) -> Time {
        if self.current < now {
            self.left = 0;
            self.gone = self.gone.max(self.before(now));
        }
        let mut need = size;
        while need > self.left {
            need -= self.left;
            (self.current, self.left) = (self.instant(self.gone), BYTES);
            self.gone += 1;
        }
        self.left -= need;
        self.current
    }

    /// Used bytes of the instants from `from` on.
    pub(crate) fn used_from(&self, from: Time) -> u64 {
        (u64::from(BYTES) * self.gone.saturating_sub(self.before(from))).saturating_sub(u64::from(self.left))
    }

    /// Bytes that may leave at `from` or later, but before `to`.
    pub(crate) fn bytes(&self, from: Time, to: Time) -> u64 {
        u64::from(BYTES) * (self.before(to) - self.before(from))
    }

    fn length(&self) -> u64 {
        self.millis.last().copied().unwrap_or(1)
    }

    fn instant(&self, number: u64) -> Time {
        let count = self.millis.len() as u64;
        let millis = number / count * self.length() + self.millis[(number % count) as usize];
        Time::from_nanos(millis * NANOS)
    }

    /// Number of instants before `time`.
    fn before(&self, time: Time) -> u64 {
        // The last instant of a round coincides with an instant at time 0 of the next round, so a round begins after
        // time 0.
        let millis = time.as_nanos().div_ceil(NANOS);
        let rounds = millis.saturating_sub(1) / self.length();
        let within = millis - rounds * self.length();
        rounds * self.millis.len() as u64 + self.millis.partition_point(|&at| at < within) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ms(millis: u64) -> Time {
        Time::from_nanos(millis * NANOS)
    }

    #[test]
    fn packets_share_instants_and_large_ones_take_several() {
        let mut trace = Opportunities::new(vec![2, 5, 5, 9]);
        let ends: Vec<Time> = [500, 1000, 1500, 1600].map(|size| trace.end(Time::ZERO, size)).to_vec();
        assert_eq!(ends, [ms(2), ms(2), ms(5), ms(9)]);
        // 1400 bytes are unused at 9 ms and are lost after it; the next round begins at 9 ms.
        assert_eq!(trace.end(ms(9), 1400), ms(9));
        assert_eq!(trace.end(ms(9), 1), ms(11));
        assert_eq!(trace.end(ms(15), 1), ms(18));
    }

    proptest! {
        /// Compared with a list of every byte's instant.
        #[test]
        fn it_agrees_with_a_list_of_all_bytes(
            mut millis in prop::collection::vec(0_u64..30, 1..20),
            packets in prop::collection::vec((0_u64..40_000_000, 1_u32..4000), 1..40),
        ) {
            millis.sort_unstable();
            *millis.last_mut().unwrap() += 1;
            let length = *millis.last().unwrap();
            let instants: Vec<Time> =
                (0..500).flat_map(|round| millis.iter().map(move |at| ms(round * length + at))).collect();
            let mut bytes = instants.iter().flat_map(|at| std::iter::repeat_n(*at, BYTES as usize)).peekable();
            let (mut trace, mut now) = (Opportunities::new(millis), Time::ZERO);
            for (pause, size) in packets {
                now += penstock_core::Span::from_nanos(pause);
                while bytes.next_if(|at| *at < now).is_some() {}
                let Some(last) = bytes.by_ref().take(size as usize).last() else { return Ok(()) };
                if bytes.peek().is_none() {
                    return Ok(());
                }
                prop_assert_eq!(trace.end(now, size), last);
                let expected = instants.iter().filter(|at| **at < now).count() as u64 * u64::from(BYTES);
                prop_assert_eq!(trace.bytes(Time::ZERO, now), expected);
                now = now.max(last);
            }
        }
    }
}
