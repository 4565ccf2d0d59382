//! The state of connections in the kernel, sampled at equal intervals.

use super::clock::{Gate, Window, now_ns};
use super::report::{Counters, Sums};
use super::tcp_info::{TcpInfo, tcp_info};
use std::net::TcpStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Interval between the samples, in nanoseconds.
const INTERVAL: u64 = 100_000_000;

/// Samples all open connections.
#[derive(Default)]
pub(super) struct Sampler {
    watched: Mutex<Vec<Arc<Watched>>>,
}

/// A connection that is sampled.
pub(super) struct Watched {
    stream: Arc<TcpStream>,
    counters: Arc<Counters>,
    sums: Mutex<Sums>,
}

impl Sampler {
    /// Sample this connection from now on.
    pub(super) fn watch(&self, stream: &Arc<TcpStream>, counters: &Arc<Counters>) -> Arc<Watched> {
        let (stream, counters) = (Arc::clone(stream), Arc::clone(counters));
        let sums = Mutex::new(Sums { at: now_ns(), ..Sums::default() });
        let watched = Arc::new(Watched { stream, counters, sums });
        self.watched().push(Arc::clone(&watched));
        watched
    }

    /// The connection ends: its samples go to its flow.
    pub(super) fn close(&self, watched: &Arc<Watched>, window: Window) {
        self.watched().retain(|other| !Arc::ptr_eq(other, watched));
        // Flows also end at the end of the statistics, which may be just before or after the last sample.
        if now_ns() >= window.start {
            watched.sample(true);
        }
        let sums = watched.sums.lock().unwrap_or_else(PoisonError::into_inner);
        watched.counters.kernel(&sums);
    }

    /// Sample from the start to the end of the statistics.
    pub(super) fn run(&self, window: Window, gate: &Gate) {
        if !gate.sleep_until(window.start) {
            return;
        }
        self.watched().iter().for_each(|watched| watched.begin());
        let mut at = window.start;
        while at < window.end {
            at = (at + INTERVAL).min(window.end);
            if !gate.sleep_until(at) {
                return;
            }
            self.watched().iter().for_each(|watched| watched.sample(at == window.end));
        }
    }

    fn watched(&self) -> MutexGuard<'_, Vec<Arc<Watched>>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watched {
    /// Count from now on.
    fn begin(&self) {
        // A connection that is closed at this moment has no state, and is not sampled.
        if let Ok(info) = tcp_info(&*self.stream) {
            let mut sums = self.sums.lock().unwrap_or_else(PoisonError::into_inner);
            (sums.last, sums.at) = (info, now_ns());
        }
    }

    /// Sample, unless the last sample has been taken; `last`: this is the last.
    fn sample(&self, last: bool) {
        let mut sums = self.sums.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(info) = tcp_info(&*self.stream)
            && !sums.complete
        {
            sums.add(info, now_ns());
            sums.complete = last;
        }
    }
}

impl Sums {
    /// Add a sample, taken at `now`, of a connection whose latest sample, or count at the end of the warm-up, is in `last`.
    fn add(&mut self, info: TcpInfo, now: u64) {
        let passed = now.saturating_sub(self.at) as f64 / 1e9;
        let busy = (info.busy_s - self.last.busy_s).min(passed);
        self.open_s += passed;
        self.starved_s += passed - busy + (info.unfilled_s - self.last.unfilled_s).max(0.0);
        self.at = now;
        let since = |now: u32, then: u32| u64::from(now.wrapping_sub(then));
        self.retransmitted += since(info.retransmitted, self.last.retransmitted);
        self.sent += since(info.sent, self.last.sent);
        self.delivered += since(info.delivered, self.last.delivered);
        self.delivered_ce += since(info.delivered_ce, self.last.delivered_ce);
        self.last = info;
        // Before the first acknowledgement no round-trip time is known.
        if info.srtt_s > 0.0 {
            self.samples += 1;
            self.srtt_s += info.srtt_s;
            self.rttvar_s += info.rttvar_s;
            self.cwnd += f64::from(info.cwnd);
            self.lost += f64::from(info.lost);
            self.delivery_rate_bps += info.delivery_rate_bps;
            self.min_rtt_s = Some(self.min_rtt_s.map_or(info.min_rtt_s, |least| least.min(info.min_rtt_s)));
        }
    }

    /// Add the samples of another, later connection.
    pub(super) fn merge(&mut self, other: &Self) {
        self.samples += other.samples;
        self.srtt_s += other.srtt_s;
        self.rttvar_s += other.rttvar_s;
        self.cwnd += other.cwnd;
        self.lost += other.lost;
        self.delivery_rate_bps += other.delivery_rate_bps;
        self.min_rtt_s = match (self.min_rtt_s, other.min_rtt_s) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
        if other.samples > 0 {
            self.last = other.last;
        }
        self.retransmitted += other.retransmitted;
        self.sent += other.sent;
        self.delivered += other.delivered;
        self.delivered_ce += other.delivered_ce;
        self.open_s += other.open_s;
        self.starved_s += other.starved_s;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_start_at_the_end_of_the_warm_up_and_means_are_over_samples() {
        let info = |sent, srtt_s, cwnd| TcpInfo { sent, srtt_s, min_rtt_s: srtt_s, cwnd, ..TcpInfo::default() };
        let mut one = Sums { last: info(100, 0.02, 10), ..Sums::default() };
        one.add(info(150, 0.03, 20), 1);
        one.add(info(170, 0.05, 40), 2);
        assert_eq!((one.samples, one.sent, one.srtt_s, one.cwnd), (2, 70, 0.08, 60.0));
        // A connection that began later counts from its beginning.
        let mut two = Sums::default();
        two.add(info(7, 0.01, 5), 3);
        one.merge(&two);
        assert_eq!((one.samples, one.sent, one.last.sent, one.min_rtt_s), (3, 77, 7, Some(0.01)));
    }

    #[test]
    fn a_sender_is_starved_while_it_is_idle_and_while_its_buffer_is_not_filled() {
        let second = 1_000_000_000;
        let info = |busy_s, unfilled_s| TcpInfo { busy_s, unfilled_s, ..TcpInfo::default() };
        let mut sums = Sums { last: info(4.0, 0.5), at: 5 * second, ..Sums::default() };
        // Busy for the whole second; then for 0.75 of a second, a quarter of which it waited for its buffer.
        sums.add(info(5.0, 0.5), 6 * second);
        assert_eq!((sums.open_s, sums.starved_s), (1.0, 0.0));
        sums.add(info(5.75, 0.75), 7 * second);
        assert_eq!((sums.open_s, sums.starved_s), (2.0, 0.5));
    }
}
