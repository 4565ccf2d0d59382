//! When ns-2's WRED, the core queue of its DiffServ module (dsRED), counts its queue as idle; found by experiment.

use alloc::vec;
use alloc::vec::Vec;
use penstock_core::Time;

/// The idle time over which ns-2's average decays. It starts when a departure leaves its level empty, even if
/// packets of other levels wait, and ends when the next packet is queued.
#[derive(Clone, Debug)]
pub(super) struct LevelIdle {
    /// Waiting packets of each level.
    waiting: Vec<u32>,
    since: Option<Time>,
}

impl LevelIdle {
    pub(super) fn new(levels: usize) -> Self {
        Self { waiting: vec![0; levels], since: None }
    }

    /// Start of the idle time, if the queue is idle. The idle time continues from its start if the arrival is dropped.
    pub(super) fn since(&self) -> Option<Time> {
        self.since
    }

    pub(super) fn queued(&mut self, level: usize) {
        self.waiting[level] += 1;
        self.since = None;
    }

    pub(super) fn left(&mut self, now: Time, level: usize) {
        self.waiting[level] -= 1;
        if self.waiting[level] == 0 {
            self.since = Some(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rig::{Rig, thesis_link};
    use alloc::vec::Vec;
    use penstock_core::param::Value;
    use penstock_core::{Ecn, Limit, PacketMeta, Span};

    const IN: u8 = 10;
    const OUT: u8 = 12;

    /// Level 0 is never dropped, level 1 between 3 and 6 packets with max_p = 0.5; 187.5 packets per second.
    fn rig(limit: Limit, w_q: f64) -> Rig {
        let numbers = |list: &[f64]| Value::Numbers(list.into());
        let word = |text: &str| Value::Text(text.into());
        let settings = [
            ("min_th", numbers(&[1e6, 3.0])),
            ("max_th", numbers(&[2e6, 6.0])),
            ("max_p", numbers(&[0.1, 0.5])),
            ("w_q", Value::Number(w_q)),
            ("spacing", word("section4")),
            ("guards", Value::Flag(false)),
            ("variant", word("ns2")),
        ];
        let settings: Vec<_> = settings.map(|(name, value)| (name.into(), value)).into();
        Rig::on(&thesis_link_with(limit), "wred", &settings, 1).unwrap()
    }

    fn thesis_link_with(limit: Limit) -> crate::aqm::LinkInfo {
        crate::aqm::LinkInfo { limit, ..thesis_link() }
    }

    fn send(rig: &mut Rig, dscps: &[u8]) {
        for &dscp in dscps {
            rig.arrive_packet(PacketMeta { flow: 0, size: 1000, ecn: Ecn::Not, dscp, protocol: 6, rare: None });
        }
    }

    fn assert_average(rig: &Rig, by_hand: f64) {
        assert!((rig.gauge("avg") - by_hand).abs() < 1e-12, "{} {by_hand}", rig.gauge("avg"));
    }

    #[test]
    fn the_idle_time_starts_when_the_last_packet_of_its_level_leaves() {
        let mut rig = rig(Limit::Infinite, 0.1);
        // found: 0, 1, 2, 3
        send(&mut rig, &[OUT, IN, IN, IN]);
        let avg = [0.0, 1.0, 2.0, 3.0].iter().fold(0.0, |avg, q| 0.9 * avg + 0.1 * q);
        assert_average(&rig, avg);
        // the only packet of level 1 leaves, and three of level 0 wait; 11 ms are 2.06 packets
        rig.depart();
        rig.advance(Span::from_millis(11));
        send(&mut rig, &[IN]);
        let avg = avg * 0.9_f64.powi(3) + 0.1 * 3.0;
        assert_average(&rig, avg);
        // that packet ended it
        rig.advance(Span::from_millis(100));
        send(&mut rig, &[IN]);
        let avg = 0.9 * avg + 0.1 * 4.0;
        assert_average(&rig, avg);
        // all packets leave; the idle time does not start when the link later finds the queue empty: 16 + 27 ms are
        // 8.06 packets
        while rig.waiting() > 0 {
            rig.depart();
        }
        rig.advance(Span::from_millis(16));
        assert!(!rig.depart());
        rig.advance(Span::from_millis(27));
        send(&mut rig, &[IN]);
        assert_average(&rig, avg * 0.9_f64.powi(9));
    }

    #[test]
    fn the_idle_time_counts_again_after_a_drop() {
        let mut rig = rig(Limit::Infinite, 0.01);
        send(&mut rig, &[IN; 40]);
        let avg = (0..40).fold(0.0, |avg, q| 0.99 * avg + 0.01 * f64::from(q));
        assert_average(&rig, avg);
        assert!(avg > 6.0 / 0.95);
        while rig.waiting() > 0 {
            rig.depart();
        }
        // 11 ms: 2.06 packets; 22 ms: 4.1; above max_th = 6 all packets are dropped
        let mut expected = avg;
        for m in [2, 4] {
            rig.advance(Span::from_millis(11));
            send(&mut rig, &[OUT]);
            expected *= 0.99_f64.powi(m + 1);
            assert_average(&rig, expected);
        }
        assert_eq!(rig.counts.dropped_on_arrival, 2);
    }

    #[test]
    fn a_full_queue_keeps_its_packets_from_the_aqm() {
        let mut rig = rig(Limit::Packets(4), 0.5);
        send(&mut rig, &[IN; 4]);
        let avg = [0.0, 1.0, 2.0, 3.0].iter().fold(0.0, |avg, q| 0.5 * avg + 0.5 * q);
        send(&mut rig, &[IN, OUT, OUT]);
        assert_eq!((rig.gauge("avg"), rig.counts.dropped_on_arrival), (avg, 3));
    }
}
