//! Generalized processor sharing: the fluid system to which fair schedulers are compared, and bounds on their deviation
//! from it.
//!
//! A. Parekh, R. Gallager, "A Generalized Processor Sharing Approach to Flow Control in Integrated Services Networks:
//! The Single-Node Case", IEEE/ACM ToN 1(3), 1993; J. Bennett, H. Zhang, "WF2Q", INFOCOM 1996; S. Golestani, "A
//! Self-Clocked Fair Queueing Scheme for Broadband Applications", INFOCOM 1994. Times in seconds, work in bytes, rates
//! in bytes per second; other consistent units are possible.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

/// A packet that arrives at the fluid system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrival {
    /// Arrival time.
    pub at: f64,
    /// Class of the packet, an index into the weights.
    pub class: usize,
    /// Work of the packet.
    pub size: f64,
}

/// Outcome of the fluid system, in which all backlogged classes are served simultaneously, in proportion to their weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Fluid {
    /// When each packet is finished, in the order of the arrivals.
    pub finished: Vec<f64>,
    /// Work served of each class at some instants, in order, and linear between them.
    served: Vec<(f64, Vec<f64>)>,
}

impl Fluid {
    /// Serve these arrivals, in order of time, at one unit of work per unit of time. Weights are above 0.
    pub fn serve(weights: &[f64], arrivals: &[Arrival]) -> Self {
        let mut now = 0.0;
        // For each class: its packets, with the work of the class that has been served when they are finished.
        let mut ends: Vec<VecDeque<(usize, f64)>> = vec![VecDeque::new(); weights.len()];
        let (mut offered, mut served) = (vec![0.0; weights.len()], vec![0.0; weights.len()]);
        let mut result = Self { finished: vec![0.0; arrivals.len()], served: vec![(0.0, served.clone())] };
        let mut next = 0;
        loop {
            let arrival = arrivals.get(next).map_or(f64::INFINITY, |arrival| arrival.at);
            let busy: f64 = (0..weights.len()).filter(|&i| !ends[i].is_empty()).map(|i| weights[i]).sum();
            // The first packet to finish if nothing arrives before.
            let first = (0..weights.len())
                .filter_map(|i| ends[i].front().map(|&(_, end)| (now + (end - served[i]) * busy / weights[i], i)))
                .min_by(|a, b| a.0.total_cmp(&b.0));
            let until = first.map_or(arrival, |(time, _)| time.min(arrival));
            if until.is_infinite() {
                return result;
            }
            for i in 0..weights.len() {
                if !ends[i].is_empty() {
                    served[i] += (until - now) * weights[i] / busy;
                }
            }
            now = until;
            if let Some((time, class)) = first.filter(|&(time, _)| time <= arrival) {
                if let Some((number, end)) = ends[class].pop_front() {
                    served[class] = end;
                    result.finished[number] = time;
                }
            } else {
                let Arrival { class, size, .. } = arrivals[next];
                offered[class] += size;
                ends[class].push_back((next, offered[class]));
                next += 1;
            }
            result.served.push((now, served.clone()));
        }
    }

    /// Work served of a class up to an instant.
    pub fn served_at(&self, time: f64, class: usize) -> f64 {
        let after = self.served.partition_point(|&(at, _)| at <= time);
        let (from, before) = &self.served[after - 1];
        let Some((to, behind)) = self.served.get(after) else { return before[class] };
        before[class] + (behind[class] - before[class]) * (time - from) / (to - from)
    }
}

/// Parekh and Gallager, theorem 1; Bennett and Zhang, theorem 2: packet fair queueing (WFQ, WF2Q) finishes a packet at
/// most L_max / r after the fluid system.
pub fn lateness(largest: f64, rate: f64) -> f64 {
    largest / rate
}

/// Bennett and Zhang, theorem 2: WF2Q has served a class of `share` r_i / r at most (1 - r_i / r) L_i,max more than the
/// fluid system, `largest` its largest packet.
pub fn lead(share: f64, largest: f64) -> f64 {
    (1.0 - share) * largest
}

/// Golestani, theorem 1: while two classes of SCFQ are backlogged their service over weight differs by at most
/// L_i / r_i + L_j / r_j, each given as (largest packet, weight).
pub fn unfairness(i: (f64, f64), j: (f64, f64)) -> f64 {
    i.0 / i.1 + j.0 / j.1
}

/// The longest delay of a class that sends at most sigma + rho t in any time t, with `rate` g >= rho its share of the
/// link: sigma / g in the fluid system (Parekh and Gallager, theorem 3), and L_max / r more by packets.
pub fn longest_delay(sigma: f64, rate: f64, largest: f64, link_rate: f64) -> f64 {
    sigma / rate + lateness(largest, link_rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_classes_share_until_one_is_done() {
        // 3 units for the class of weight 1 and 3 for the class of weight 3 arrive at 0: rates are 1/4 and 3/4 until 4,
        // then the first class is alone
        let arrivals = [Arrival { at: 0.0, class: 0, size: 3.0 }, Arrival { at: 0.0, class: 1, size: 3.0 }];
        let fluid = Fluid::serve(&[1.0, 3.0], &arrivals);
        assert_eq!(fluid.finished, [6.0, 4.0]);
        assert_eq!((fluid.served_at(2.0, 0), fluid.served_at(5.0, 0), fluid.served_at(9.0, 1)), (0.5, 2.0, 3.0));
    }

    #[test]
    fn a_burst_of_sigma_waits_as_long_as_the_bound_says() {
        // class 0 has half the link and sends a burst of 8 and then at its rate; the other class is always backlogged
        let burst = (0..8).map(|_| Arrival { at: 0.0, class: 0, size: 1.0 });
        let paced = (1..20).map(|n| Arrival { at: f64::from(2 * n), class: 0, size: 1.0 });
        let other = Arrival { at: 0.0, class: 1, size: 1000.0 };
        let arrivals: Vec<Arrival> = core::iter::once(other).chain(burst).chain(paced).collect();
        let fluid = Fluid::serve(&[1.0, 1.0], &arrivals);
        let longest = arrivals
            .iter()
            .zip(&fluid.finished)
            .filter(|(arrival, _)| arrival.class == 0)
            .map(|(arrival, finished)| finished - arrival.at)
            .fold(0.0, f64::max);
        assert_eq!(longest, longest_delay(8.0, 0.5, 0.0, 1.0));
        assert_eq!(longest_delay(8.0, 0.5, 2.0, 1.0), 18.0);
        assert_eq!((lead(0.25, 100.0), unfairness((10.0, 2.0), (30.0, 5.0))), (75.0, 11.0));
    }
}
